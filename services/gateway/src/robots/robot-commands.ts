/** A command is resent only if it certainly was not sent to the robot; if that is uncertain, the call fails with outcome_unknown. */
import { ApiError, type CallStep, type Feature, type RobotCommand, type ToLink } from '@perch/schema';
import { withinMs, type Span } from '@perch/runtime';
import { StoreError, type RobotRecord, type Store } from '@perch/store';
import type { Call, CommandReply } from '../calls/call.js';
import { answerWithinMs, sendWithinMs } from '../calls/service-time.js';
import { robotFailure } from '../calls/failures.js';
import type { KeyValidity } from '../calls/key-validity.js';
import type { Replies, Reply } from './replies.js';
import type { CachedRobot, RobotDirectory } from './robot-directory.js';

/** Maximum difference between this process's estimate of the Redis clock and the clock itself, ms. */
const clocksApartMs = 100;
/** After each interval without a reply, the gateway checks where the robot is, ms. */
const silenceMs = 1_000;

export interface CommandRequest {
  needs: readonly Feature[];
  /** Sent with another command of the call: its latency may include the robot's time for that one, so it is not measured. */
  follows?: true;
  /** As a function, called again if the command's media expired before it was sent. The signal aborts when the call ends, or is too late. */
  command: RobotCommand | ((robot: CachedRobot, signal: AbortSignal) => Promise<RobotCommand>);
}

export interface CommandResult {
  result: Record<string, unknown>;
  replaced: boolean;
}

export class RobotCommands {
  readonly #store: Pick<Store, 'instance' | 'linkMailbox' | 'clock'>;
  readonly #directory: RobotDirectory;
  readonly #replies: Replies;
  readonly #keyValidity: KeyValidity;

  constructor(store: Pick<Store, 'instance' | 'linkMailbox' | 'clock'>, directory: RobotDirectory, replies: Replies, keyValidity: KeyValidity) {
    this.#store = store;
    this.#directory = directory;
    this.#replies = replies;
    this.#keyValidity = keyValidity;
  }

  /** @throws {ApiError} robot_offline, then not_offered, then errors of building the command; the robot's nack; outcome_unknown */
  async send(call: Call, request: CommandRequest): Promise<CommandResult> {
    const { effects } = call;
    const reply = await (effects === null ? this.#deliver(call, request, null) : effects.command((step) => this.#deliver(call, request, step)));
    return resultOf(reply);
  }

  /** Sends a command until a robot-link has accepted it. @param step names the command in the record of its call; null: the call has none */
  async #deliver(call: Call, request: CommandRequest, step: CallStep | null): Promise<CommandReply> {
    const cached = this.#directory.cached(call.robot);
    let robot = cached ?? (await this.#directory.held(call.robot));
    let rebuilt = false;
    let missedAt: number | null = null;
    for (;;) {
      let command: RobotCommand;
      try {
        requireFeatures(robot.record, request.needs);
        command = typeof request.command === 'function' ? await this.#buildInTime(call, robot, request.command) : request.command;
      } catch (error) {
        // A stale cache entry must not reject a call: the robot may be away, or have reconnected with other features.
        if (robot !== cached) throw error;
        robot = await this.#directory.heldNow(call.robot);
        if (robot.lease.session === cached.lease.session) throw error;
        continue;
      }
      // The key may be revoked while the robot moves to another robot-link, or while the command is built.
      await this.#keyValidity.require(call, 'before the command was sent');
      call.time.pause();
      const reply = await this.#exchange(call, robot, command, step, request.follows === true ? undefined : call.arrivedAt);
      call.time.resume();
      switch (reply.t) {
        case 'not_here':
          missedAt ??= performance.now();
          robot = await this.#directory.heldAfter(robot, missedAt);
          break;
        case 'media_missing':
          if (rebuilt) throw new ApiError('render_failed', 'The picture or sound was lost before it could be sent, twice. Try again.');
          rebuilt = true;
          break;
        case 'failed':
          throw reply.error;
        case 'late':
          this.#directory.forget(robot);
          return reply;
        default:
          return reply;
      }
    }
  }

  async #buildInTime(call: Call, robot: CachedRobot, make: Exclude<CommandRequest['command'], RobotCommand>): Promise<RobotCommand> {
    const tooLate = new AbortController();
    const leftMs = call.arrivedAt + sendWithinMs - this.#store.clock.now();
    return withinMs(make(robot, AbortSignal.any([call.signal, tooLate.signal])), leftMs, () => {
      const error = new ApiError('render_failed', 'The picture or sound was not made in time. Try again.');
      tooLate.abort(error);
      throw error;
    });
  }

  #exchange(call: Call, robot: CachedRobot, command: RobotCommand, step: CallStep | null, arrivedAt: number | undefined): Promise<Reply> {
    const { instance, session } = robot.lease;
    const { time } = call;
    const id = this.#replies.newId();
    const sentAt = this.#store.clock.now();
    const answered = this.#replies.expect(id, call.arrivedAt + answerWithinMs - sentAt, {
      everyMs: silenceMs,
      check: () => void this.#checkRobot(id, robot, sentAt),
    });
    const message: Extract<ToLink, { t: 'command' }> = {
      t: 'command',
      id,
      robot: robot.id,
      session,
      gateway: this.#store.instance,
      expires: call.arrivedAt + sendWithinMs,
      requestId: call.requestId,
      command,
    };
    if (step !== null) message.step = step;
    if (arrivedAt !== undefined) message.arrivedAt = arrivedAt;
    const span = call.span?.child(`send ${command.name}`, { kind: 'client' }) ?? null;
    if (span !== null) message.trace = span.carried;
    const sendingSince = performance.now();
    let publishedMs = 0;
    const published = call.effects === null ? this.#store.linkMailbox.send(instance, message) : call.effects.publish(instance, message);
    published.then(
      (receivers) => {
        publishedMs = performance.now() - sendingSince;
        time.addBack(publishedMs);
        if (receivers === 0) this.#replies.settle(id, { t: 'not_here', id });
      },
      (error: Error) => {
        time.addBack(performance.now() - sendingSince);
        const fate = error instanceof StoreError ? error.fate : 'not_done';
        // Redis will still deliver the message, so the call must not fail now: it waits for the reply.
        if (fate === 'late') return;
        this.#replies.settle(id, fate === 'unknown' ? { t: 'late' } : { t: 'failed', error });
      },
    );
    return answered.then((reply) => {
      // The delivery from Redis to the robot-link is the service's own time.
      if (reply.t === 'ack' && reply.receivedAt !== undefined) time.addBack(Math.max(0, reply.receivedAt - sentAt - publishedMs));
      if (span !== null) endSpan(span, reply);
      return reply;
    });
  }

  /**
   * Settles the reply of a robot that changed its session or is away. If the new session began before the command was sent, the old connection was
   * closed by then, and the command may be resent; otherwise its outcome is unknown.
   */
  async #checkRobot(id: string, robot: CachedRobot, sentAt: number): Promise<void> {
    const current = await this.#directory.read(robot.id).catch(() => undefined);
    if (current === undefined) return;
    const sessionChanged = current !== null && current.lease.session !== robot.lease.session;
    if (sessionChanged && current.lease.state === 'held' && current.lease.since < sentAt - clocksApartMs)
      this.#replies.settle(id, { t: 'not_here', id });
    else if (current === null || sessionChanged || current.lease.state === 'away') this.#replies.settle(id, { t: 'late' });
  }
}

function endSpan(span: Span, reply: Reply): void {
  span.set({ 'perch.reply': reply.t });
  if (reply.t === 'nack') span.fail(reply.code);
  else if (reply.t === 'late' || reply.t === 'failed') span.fail(reply.t);
  span.end();
}

/** @throws {ApiError} the robot's nack; outcome_unknown if there is no reply */
function resultOf(reply: CommandReply): CommandResult {
  if (reply.t === 'ack') return { result: reply.result, replaced: false };
  if (reply.t === 'replaced') return { result: {}, replaced: true };
  if (reply.t === 'nack') throw robotFailure(reply.code, reply.error);
  throw new ApiError('outcome_unknown', 'The robot did not reply; whether it performed the action is unknown.');
}

export function hasFeatures(record: RobotRecord, needs: readonly Feature[]): boolean {
  return missingFeature(record, needs) === undefined;
}

function missingFeature({ hello }: RobotRecord, needs: readonly Feature[]): Feature | undefined {
  return needs.find((feature) => !hello.features.includes(feature));
}

/** @throws {ApiError} not_offered naming the first missing feature */
export function requireFeatures(record: RobotRecord, needs: readonly Feature[]): void {
  const missing = missingFeature(record, needs);
  if (missing !== undefined) throw new ApiError('not_offered', `This robot does not offer this: it has no ${missing}.`);
}

/**
 * Sends a command to the robot-link that holds the robot and waits for the robot's ack.
 * A command is sent again only when it is certain that it never left for the robot; what is not certain is an error.
 */
import { ApiError, type CallStep, type Feature, type RobotCommand, type ToLink } from '@perch/schema';
import type { Span } from '@perch/runtime';
import { StoreError, type RobotRecord, type Store } from '@perch/store';
import { admittedForMs } from '../auth/admission.js';
import type { Call } from '../actions/call.js';
import type { Replies, Reply } from './replies.js';
import type { KnownRobot, RobotDirectory } from './robot-directory.js';

/** After this the command must not be sent to the robot any more, ms from the call's arrival. */
export const sendWithinMs = 10_000;
/** After this the call is answered, whatever happens, ms from the call's arrival. */
export const answerWithinMs = 13_000;
/** How far our clock and Redis' may be apart at worst, ms. */
const clocksApartMs = 100;
/** Without an answer for so long, the gateway looks again where the robot is. */
const silenceMs = 1_000;
/** A command's picture must live at least this long, ms: made early, sent late. */
export const commandMediaMs = sendWithinMs + 5_000;

export interface Order {
  /** What the robot must have. */
  needs: readonly Feature[];
  /**
   * Made for the robot as it is; made again when its pictures or sound were gone before they could be sent.
   * The signal aborts when the call ends, or when it is too late to send the command: what it needs is then no longer rendered.
   */
  command: RobotCommand | ((robot: KnownRobot, signal: AbortSignal) => Promise<RobotCommand>);
}

export interface Done {
  /** What the robot answered. */
  result: Record<string, unknown>;
  /** A second sound took its place before it began. */
  replaced: boolean;
}

export class RobotCommands {
  readonly #store: Pick<Store, 'instance' | 'links' | 'clock' | 'apiKeys'>;
  readonly #directory: RobotDirectory;
  readonly #replies: Replies;

  constructor(store: Pick<Store, 'instance' | 'links' | 'clock' | 'apiKeys'>, directory: RobotDirectory, replies: Replies) {
    this.#store = store;
    this.#directory = directory;
    this.#replies = replies;
  }

  /**
   * Resolves once the robot acked.
   * @throws {ApiError} robot_offline, then not_offered, then what making the command throws; a robot's nack; outcome_unknown when nothing is known
   */
  async send(call: Call, order: Order): Promise<Done> {
    const step = call.idempotent?.nextStep() ?? null;
    if (step !== null && call.idempotent!.recalled) return doneOf(await call.idempotent!.recallReply(step));
    const cached = this.#directory.cached(call.robot);
    let robot = cached ?? (await this.#directory.held(call.robot));
    const arrivedAt = call.takeArrival();
    let madeAgain = false;
    let missedAt: number | null = null;
    for (;;) {
      let command: RobotCommand;
      try {
        requireFeatures(robot.record, order.needs);
        command = typeof order.command === 'function' ? await this.#inTime(call, robot, order.command) : order.command;
      } catch (error) {
        // What was remembered must not refuse anybody: the robot may be away by now, or have come back with other features.
        if (robot !== cached) throw error;
        robot = await this.#directory.heldNow(call.robot);
        if (robot.lease.session === cached.lease.session) throw error;
        continue;
      }
      call.time.waits();
      const reply = await this.#exchange(call, robot, command, step, arrivedAt);
      call.time.resumes();
      call.idempotent?.heard(reply);
      switch (reply.t) {
        case 'not_here':
          missedAt ??= performance.now();
          robot = await this.#directory.heldAfter(robot, missedAt);
          break;
        case 'media_missing':
          if (madeAgain) throw new ApiError('render_failed', 'The picture or sound was lost before it could be sent, twice. Try again.');
          madeAgain = true;
          break;
        case 'failed':
          throw reply.error;
        case 'late':
          this.#directory.forget(robot);
          return doneOf(step === null ? reply : await call.idempotent!.keptReply(step, reply));
        default:
          return doneOf(reply);
      }
    }
  }

  /** Makes a command. One that takes too long is not sent: it would come late, or for a key that was revoked meanwhile. */
  async #inTime(call: Call, robot: KnownRobot, make: Exclude<Order['command'], RobotCommand>): Promise<RobotCommand> {
    const beganAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new AbortController();
    const late = new Promise<never>((_, reject) => {
      const leftMs = call.arrivedAt + sendWithinMs - this.#store.clock.now();
      timer = setTimeout(() => {
        const error = new ApiError('render_failed', 'The picture or sound was not made in time. Try again.');
        tooLate.abort(error);
        reject(error);
      }, leftMs);
    });
    try {
      const command = await Promise.race([make(robot, AbortSignal.any([call.signal, tooLate.signal])), late]);
      if (performance.now() - beganAt > admittedForMs) await this.#stillAdmitted(call);
      return command;
    } finally {
      clearTimeout(timer);
    }
  }

  async #stillAdmitted({ keyHash }: Call): Promise<void> {
    const [valid] = await this.#store.apiKeys.stillValid([keyHash]);
    if (valid === false) throw new ApiError('unauthorized', 'The API key stopped working before the robot was told.');
  }

  #exchange(call: Call, robot: KnownRobot, command: RobotCommand, step: CallStep | null, arrivedAt: number | undefined): Promise<Reply> {
    const { instance, session } = robot.lease;
    const { time } = call;
    const id = this.#replies.newId();
    const sentAt = this.#store.clock.now();
    const answered = this.#replies.expect(id, call.arrivedAt + answerWithinMs - sentAt, {
      everyMs: silenceMs,
      look: () => void this.#lookForRobot(id, robot, sentAt),
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
    this.#store.links.send(instance, message).then(
      (receivers) => {
        publishedMs = performance.now() - sendingSince;
        time.wasOurs(publishedMs);
        if (receivers === 0) this.#replies.settle(id, { t: 'not_here', id });
      },
      (error: Error) => {
        time.wasOurs(performance.now() - sendingSince);
        const fate = error instanceof StoreError ? error.fate : 'not_done';
        // Answered as failed now, it would be carried out after: its reply is waited for.
        if (fate === 'late') return;
        this.#replies.settle(id, fate === 'unknown' ? { t: 'late' } : { t: 'failed', error });
      },
    );
    return answered.then((reply) => {
      // It was with the robot-link later than Redis had it.
      if (reply.t === 'ack' && reply.receivedAt !== undefined) time.wasOurs(Math.max(0, reply.receivedAt - sentAt - publishedMs));
      if (span !== null) endReplied(span, reply);
      return reply;
    });
  }

  /**
   * A robot that another session holds by now, or nobody, will not answer any more: waiting is in vain. Where the other one held it before
   * the command was sent, the robot had left the connection that it was meant for, and it may be sent again; else what it did is not known.
   */
  async #lookForRobot(id: string, robot: KnownRobot, sentAt: number): Promise<void> {
    const now = await this.#directory.read(robot.id).catch(() => undefined);
    if (now === undefined) return;
    const movedOn = now !== null && now.lease.session !== robot.lease.session;
    if (movedOn && now.lease.state === 'held' && now.lease.since < sentAt - clocksApartMs) this.#replies.settle(id, { t: 'not_here', id });
    else if (now === null || movedOn || now.lease.state === 'away') this.#replies.settle(id, { t: 'late' });
  }
}

/** Ends the span of a command with what became of it. */
function endReplied(span: Span, reply: Reply): void {
  span.set({ 'perch.reply': reply.t });
  if (reply.t === 'nack') span.fail(reply.code);
  else if (reply.t === 'late' || reply.t === 'failed') span.fail(reply.t);
  span.end();
}

/** What a robot's last word on a command means to the call. @throws {ApiError} a robot's nack; outcome_unknown where there is none */
function doneOf(reply: Reply): Done {
  if (reply.t === 'ack') return { result: reply.result, replaced: false };
  if (reply.t === 'replaced') return { result: {}, replaced: true };
  if (reply.t === 'nack') throw new ApiError(reply.code, reply.error, { quotesUntrusted: reply.code !== 'no_ack' });
  throw new ApiError('outcome_unknown', 'The robot did not answer; whether it did the action is not known.');
}

/** @throws {ApiError} not_offered naming what the robot lacks */
export function requireFeatures(record: RobotRecord, needs: readonly Feature[]): void {
  const missing = needs.find((feature) => !record.hello.features.includes(feature));
  if (missing !== undefined) throw new ApiError('not_offered', `This robot does not offer this: it has no ${missing}.`);
}

import type { ToLink, TraceField } from '@perch/schema';
import { CommandSpan } from '../commands/command-span.js';
import type { Command, CommandPort, Loaded } from '../commands/command.js';
import type { CommandOutcome } from '../commands/command-outcome.js';
import type { CommandWriter } from '../commands/command-writer.js';
import { moveDurationMs } from '../commands/move-duration.js';
import type { SoundLimits } from '../media/sound-limits.js';
import type { Speaker } from '../media/speaker.js';
import type { CommandEnd } from '../metrics/link-metrics.js';
import { outcomes, type AckCounts } from '../metrics/robots-page.js';
import type { LinkContext } from './context.js';
import { keepReply, replyTo, sendEndingAck, sendOutcome, sendReply } from './replies.js';
import type { RobotState } from './robot-state.js';
import { shownBy } from './screen-state.js';
import type { ScreenLight } from './screen-light.js';
import type { ScreenPages } from '../cards/screen-pages.js';
import type { OpenSession } from './open-session.js';
import type { WaitController } from '../waits/wait-controller.js';

/** A command that arrives later than this after its call is late: the gateway gets the time of its receipt. */
const lateMs = 500;

export interface SessionCommandsOptions {
  session: OpenSession & { readonly waits: Pick<WaitController, 'screenChanged' | 'questionShown'> };
  context: LinkContext;
  state: RobotState;
  pages: ScreenPages;
  speaker: Speaker;
  writer: CommandWriter;
  timesMoves: boolean;
  limits: SoundLimits;
  light: ScreenLight;
}

export class SessionCommands implements CommandPort {
  readonly acks: AckCounts = { ack: 0, nack: 0, no_ack: 0 };
  readonly #session: SessionCommandsOptions['session'];
  readonly #context: LinkContext;
  readonly #state: RobotState;
  readonly #pages: ScreenPages;
  readonly #speaker: Speaker;
  readonly #writer: CommandWriter;
  readonly #timesMoves: boolean;
  readonly #limits: SoundLimits;
  readonly #light: ScreenLight;

  constructor({ session, context, state, pages, speaker, writer, timesMoves, limits, light }: SessionCommandsOptions) {
    this.#session = session;
    this.#context = context;
    this.#state = state;
    this.#pages = pages;
    this.#speaker = speaker;
    this.#writer = writer;
    this.#timesMoves = timesMoves;
    this.#limits = limits;
    this.#light = light;
  }

  receive({ id, gateway, expires, requestId, command, step, trace, arrivedAt }: Extract<ToLink, { t: 'command' }>): void {
    const { name, attachments, sound, pages, countdown } = command;
    const now = this.now();
    const receivedAt = arrivedAt !== undefined && now - arrivedAt > lateMs ? now : undefined;
    const noted = this.#light.command(command);
    const done = (outcome: CommandOutcome): void => {
      if (noted !== 'later') noted?.(outcome);
      const reply = replyTo(id, outcome);
      if (step?.answer !== undefined && reply.t === 'ack') return sendEndingAck(this.#context, gateway, this.#session.robot, step, reply, receivedAt);
      // A command that was not sent has no reply to keep.
      if (step !== undefined && outcome.kind !== 'unsent' && outcome.kind !== 'media_missing')
        keepReply(this.#context, this.#session.robot, step, reply);
      sendOutcome(this.#context, gateway, receivedAt !== undefined && reply.t === 'ack' ? { ...reply, receivedAt } : reply);
    };
    if (this.#limits.silences(name, now)) return done({ kind: 'ack', ms: 0, result: { silenced: 'quiet_hours' } });
    if (noted === 'later') return done({ kind: 'ack', ms: 0, result: {} });
    const args = this.#limits.limited(name, command.args);
    // Spreading the whole message would take longer than everything else here.
    const plain: Command = { name, args, expires, requestId, done };
    if (arrivedAt !== undefined) plain.arrivedAt = arrivedAt;
    if (trace !== undefined) this.#trace(plain, trace);
    if (pages !== undefined) plain.pages = pages;
    if (countdown !== undefined) plain.countdown = countdown;
    const { commands } = this.#session;
    if (commands.push(attachments || sound ? { ...plain, ...(attachments && { attachments }), ...(sound && { sound }) } : plain)) return;
    noted?.({ kind: 'unsent' });
    plain.span?.ended({ kind: 'nack', code: 'robot_busy', error: '', end: 'refused' });
    this.#context.metrics.command(command.name, 'busy');
    const error = 'The robot has too many commands waiting. Try again in a moment.';
    sendReply(this.#context, gateway, { t: 'nack', id, code: 'robot_busy', error });
  }

  now(): number {
    return this.#context.store.clock.now();
  }

  load(command: Command): Promise<Loaded | { missing: string }> {
    return this.#writer.load(command);
  }

  write(command: Command, id: string, ttlMs: number, loaded: Loaded): ReturnType<CommandPort['write']> {
    this.#state.began(command, this.now());
    const problem = this.#writer.write(this.#timed(command), id, ttlMs, loaded);
    if (problem === null && command.arrivedAt !== undefined) this.#context.metrics.delivered(command.name, this.now() - command.arrivedAt);
    return problem;
  }

  commandQueued(command: Command): void {
    this.#pages.queued(command);
  }

  commandAcked(command: Command, seconds: number, { result, ms }: Parameters<CommandPort['commandAcked']>[2]): void {
    this.#context.metrics.acked(seconds);
    const before = shownBy(this.#state.screen);
    this.#state.apply(command, result, this.now());
    if (shownBy(this.#state.screen) !== before) this.#session.waits.screenChanged(ms);
    if (command.name === 'screen.show' && command.args['layer'] === 'question') this.#session.waits.questionShown(String(command.args['id']), ms);
    this.#pages.confirmed(command);
    if (command.sound !== undefined) this.#speaker.confirmed(command);
  }

  commandEnded(command: Command, outcome: CommandOutcome): void {
    const { metrics, log } = this.#context;
    const end = outcome.kind === 'nack' ? outcome.end : outcome.kind;
    metrics.command(command.name, end);
    if (isCounted(end)) this.acks[end] += 1;
    if (log.isLevelEnabled('debug'))
      log.debug(
        {
          robot: this.#session.robot,
          request_id: command.requestId,
          ...(command.span && { trace_id: command.span.traceId }),
          command: command.name,
          outcome: outcome.kind,
        },
        'command ended',
      );
    if (command.sound !== undefined && outcome.kind === 'nack') this.#speaker.rejected(command);
  }

  #trace(command: Command, trace: TraceField): void {
    const attributes = { 'perch.robot': this.#session.robot, 'perch.command': command.name };
    const span = this.#context.tracing?.resume(`command ${command.name}`, trace, { kind: 'server', attributes }) ?? null;
    if (span !== null) command.span = new CommandSpan(span);
  }

  #timed(command: Command): Command {
    const { name, args } = command;
    if (name !== 'head.move' || !this.#timesMoves) return command;
    const { yaw, pitch } = args as { yaw?: number; pitch?: number };
    const { head } = this.#state.observed(this.now(), false);
    return { ...command, args: { ...args, duration_ms: moveDurationMs(head, { yaw: yaw ?? null, pitch: pitch ?? null }) } };
  }
}

function isCounted(end: CommandEnd): end is keyof AckCounts {
  return (outcomes as readonly string[]).includes(end);
}

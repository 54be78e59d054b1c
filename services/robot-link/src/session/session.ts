/**
 * The open session of one robot: passes the robot's messages to its parts (commands, inputs, waits, speaker, readings) and handles messages of
 * gateways. It ends once, and then settles everything that is still pending.
 */
import { limits, parseRobotMessage, type Hello, type Readings, type RobotMessage, type Showing, type ToLink, type TraceField } from '@perch/schema';
import type { Playing, SavedState, Taken } from '@perch/store';
import { CommandQueue, type Command, type CommandOutcome, type CommandPort, type Loaded } from '../commands/command-queue.js';
import { CommandSpan } from '../commands/command-span.js';
import { CommandWriter } from '../commands/command-writer.js';
import { noteFailure, type LinkContext } from './context.js';
import { ObservedState } from './observed-state.js';
import { InputQueue } from '../input/input-queue.js';
import { Liveness } from '../connection/liveness.js';
import type { Activity, CountedRobot } from '../metrics/robot-counts.js';
import type { CommandEnd } from '../metrics/link-metrics.js';
import { outcomes, type AckCounts, type ReportedRobot } from '../metrics/robot-samples.js';
import { moveDurationMs } from '../commands/move-duration.js';
import { RobotReadings } from './readings.js';
import { keepReply, replyTo, sendReply, sendOutcome } from './replies.js';
import { RobotClock } from './robot-clock.js';
import type { RobotSocket, SocketOwner } from '../connection/robot-socket.js';
import { SessionInputs } from './session-inputs.js';
import { SessionWaits } from './session-waits.js';
import { applyToScreenState } from './screen-state.js';
import { Speaker, type SoundEnd, type SpeakerPort } from '../media/speaker.js';
import { WaitController } from '../waits/wait-controller.js';

/** Maximum difference between the clocks of Redis and this instance, with a margin, ms. */
const clocksApartMs = 1000;
/** Time an `audio.stop` sent by the service itself may be queued, ms. */
const stopTtlMs = 5000;
/** A command that reaches this instance more than this after its call arrived is late, ms. The gateway then gets the time of its receipt. */
const lateMs = 500;

export interface SessionOptions {
  id: string;
  robot: string;
  hello: Hello;
  taken: Taken;
  socket: RobotSocket;
  context: LinkContext;
}

export class Session implements SocketOwner, CommandPort, SpeakerPort, CountedRobot, ReportedRobot {
  readonly id: string;
  readonly robot: string;
  readonly account: string;
  readonly model: string;
  readonly firmware: string;
  readonly acks: AckCounts = { ack: 0, nack: 0, no_ack: 0 };
  readonly bootId: string;
  readonly socket: RobotSocket;
  readonly partBytesMax: number;
  readonly bufferBytes: number;
  readonly commands: CommandQueue;
  /** Redis time, ms. */
  readonly openedAt: number;
  readonly #context: LinkContext;
  readonly #timesMoves: boolean;
  readonly #screen: Showing;
  readonly #liveness: Liveness;
  readonly #readings = new RobotReadings();
  readonly #observed = new ObservedState();
  readonly #speaker: Speaker;
  readonly #writer: CommandWriter;
  readonly #inputs: InputQueue;
  readonly #waits: WaitController;
  readonly #clock = new RobotClock();
  #state: 'open' | 'draining' | 'over' = 'open';
  /** Whether another session holds the lease: then nothing is written for the robot any more. */
  #lost = false;

  constructor({ id, robot, hello, taken, socket, context }: SessionOptions) {
    this.id = id;
    this.robot = robot;
    this.account = taken.account;
    this.model = hello.model;
    this.firmware = hello.firmware;
    this.bootId = hello.boot_id;
    this.socket = socket;
    this.partBytesMax = hello.audio?.max_part_bytes ?? limits.link.partBytesDefault;
    this.bufferBytes = hello.audio?.buffer_bytes ?? 0;
    this.#context = context;
    this.#timesMoves = hello.features.includes('move_duration');
    const { card, question, emotion, view } = hello.showing;
    this.#screen = { card, question, emotion, view };
    this.openedAt = this.now();
    this.#liveness = new Liveness(performance.now(), context.timing.pingMs);
    this.#speaker = new Speaker(this);
    this.#writer = new CommandWriter({ session: id, socket, media: context.media, speaker: this.#speaker, partBytesMax: this.partBytesMax });
    // The prefix is unique to the session, since the robot remembers command ids across the sessions of a boot.
    this.commands = new CommandQueue(this, id.slice('s-'.length));
    this.#inputs = new InputQueue(
      new SessionInputs({ session: this, context, headMoving: () => this.#readings.headMoving, waits: () => this.#waits }),
      taken,
    );
    this.#waits = new WaitController(new SessionWaits({ session: this, context, clock: this.#clock, lastSeq: () => this.#inputs.lastSeq }));
  }

  /** Whether a wait is open, shown or about to be shown. */
  get hasOpenWait(): boolean {
    return this.#waits.isOpen;
  }

  /** Whether the robot can be handed over without anyone noticing: no command, wait, sound or gesture is unfinished. */
  get isIdle(): boolean {
    return this.#state === 'open' && this.commands.size === 0 && !this.#waits.isOpen && this.#speaker.stream === null && this.#inputs.isQuiet;
  }

  get activity(): Activity {
    if (this.#waits.isOpen) return 'asking';
    if (this.#speaker.isPlaying) return 'playing';
    if (this.#readings.headMoving) return 'moving';
    return this.#screen.card === null ? 'idle' : 'showing';
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  get readings(): Readings {
    return this.#readings.values;
  }

  get ageMs(): number {
    return this.now() - this.openedAt;
  }

  /** Resumes what the robot shows and plays, as far as Redis knows of it. Called after welcome. */
  start(hello: Hello, taken: Taken): void {
    if (taken.connectedDue) this.announce();
    this.#waits.takeOver(taken.wait, hello.showing);
    if (hello.playing !== undefined) this.#speaker.takeOver(hello.playing, taken.playing);
  }

  /** Appends a `connected` event. Called where readers can have seen the robot as away before. */
  announce(): void {
    this.#inputs.event({ name: 'connected', data: {} });
  }

  onText(text: string): void {
    if (this.#state === 'over') return;
    if (!this.#liveness.received(text.length)) return this.close(4008, 'flooding');
    const message = parseRobotMessage(text);
    if (!('t' in message)) return this.close(4400, message.problem);
    this.#onMessage(message);
  }

  onControl(bytes: number): void {
    if (!this.#liveness.received(bytes)) this.close(4008, 'flooding');
  }

  #onMessage(message: RobotMessage): void {
    const { metrics } = this.#context;
    switch (message.t) {
      case 'ack':
        this.#clock.note(message.ms);
        return this.commands.onAck(message);
      case 'in':
        if (message.ms !== null) this.#clock.note(message.ms);
        metrics.inputs.inc({ kind: message.kind });
        if (message.kind === 'unreadable') this.#context.unreadable.input(this, message);
        return this.#inputs.feed(message);
      case 'sensors':
        this.#readings.accept(message.values, this.now(), metrics.readingDropped);
        return metrics.readings.observe(this.#readings.values);
      case 'flow':
        return this.#speaker.onFlow(message.stream, message.received, message.free);
      case 'play_done':
        return this.#speaker.onDone(message.stream, message.reason);
      case 'ping':
        return this.socket.sendText(pong);
      case 'hello':
        return this.close(4400, 'a second hello');
      case 'log':
        return this.#context.robotLog.take(this, message);
      case 'unreadable':
        return this.#context.unreadable.message(this, message);
      case 'pong':
      case 'unknown':
    }
  }

  onClosed(code: number): void {
    this.#context.metrics.closed(code);
    this.#end('away');
  }

  close(code: number, reason: string): void {
    if (this.#state === 'over') return;
    if (code === 4001) this.#lost = true;
    this.#context.log.info({ robot: this.robot, session: this.id, code, reason }, 'session closed');
    this.socket.close(code, reason);
    this.#end(code === 4009 ? 'moving' : 'away');
  }

  /**
   * Waits for what is in flight, releases the lease as moving, and closes with 4009, so that the robot connects to another instance. The close comes
   * last: a gateway that finds the robot elsewhere before it learns the outcome of its command can only answer outcome_unknown.
   * @param reason of the close frame, for readers of traces
   * @param cut resolves when the hand-over must not take longer; null for an idle robot, which takes no time
   */
  async handOver(reason: string, cut: Promise<void> | null = null): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'draining';
    const quiet = Promise.all([this.commands.drain(), this.#inputs.idle()]);
    await (cut === null ? quiet : Promise.race([quiet, cut]));
    if (this.isOver) return;
    this.#end('moving');
    const { registry, store } = this.#context;
    await Promise.all([registry.releasesDone(), store.gateways.sent()]);
    this.socket.close(4009, reason);
  }

  sweep(now: number, elapsedMs: number): void {
    switch (this.#liveness.check(now, elapsedMs, this.socket, this.#context.timing)) {
      case 'ping':
        return this.socket.sendText(ping);
      case 'slow':
        this.close(4008, 'too slow');
        return this.socket.terminate();
      case 'silent':
        this.#context.log.info({ robot: this.robot, session: this.id }, 'robot fell silent');
        this.socket.terminate();
        return this.#end('away');
      case null:
    }
  }

  takeDue(): SavedState | null {
    return this.#state === 'open' && this.#readings.takeDue(this.now(), this.#context.timing.saveMs) ? this.saved : null;
  }

  /** Checks whether a message of a gateway was lost. */
  recheck(): void {
    void this.#waits.recheck();
  }

  sendAck(): void {
    const seq = this.#inputs.takeAck();
    if (seq !== null) this.socket.sendJson({ t: 'in_ack', seq });
  }

  /**
   * Handles a message of a gateway. While the session drains, commands are queued and sent back when the robot leaves; a wait stays stored under its
   * key for the session that takes the robot over.
   * @returns false if the session no longer acts for gateways: then nothing was sent to the robot
   */
  onGateway(message: ToLink): boolean {
    // Remove the question while the robot is still connected.
    if (message.t === 'wait_end' && this.#state !== 'over') this.#waits.close(message.number);
    if (this.#state === 'over' || this.#lost) return false;
    if (message.t === 'command') this.#command(message);
    else if (message.t === 'wait') this.#waits.open(message.record, message.arrivedAt);
    else if (message.t === 'state') this.#sendState(message);
    else if (message.t === 'close') this.close(message.code, message.code === 4003 ? 'revoked' : 'replaced');
    return true;
  }

  #command({ id, gateway, expires, requestId, command, step, trace, arrivedAt }: Extract<ToLink, { t: 'command' }>): void {
    const { name, args, attachments, sound } = command;
    const now = this.now();
    const receivedAt = arrivedAt !== undefined && now - arrivedAt > lateMs ? now : undefined;
    const done = (outcome: CommandOutcome): void => {
      const reply = replyTo(id, outcome);
      // A command that was not sent to the robot is sent again or answered by its gateway, so it has no reply to keep.
      if (step !== undefined && outcome.kind !== 'unsent' && outcome.kind !== 'media_missing') keepReply(this.#context, this.robot, step, reply);
      sendOutcome(this.#context, gateway, receivedAt !== undefined && reply.t === 'ack' ? { ...reply, receivedAt } : reply);
    };
    // Most commands have neither; spreading the whole message would take longer than everything else here.
    const plain: Command = { name, args, expires, requestId, done };
    if (arrivedAt !== undefined) plain.arrivedAt = arrivedAt;
    if (trace !== undefined) this.#trace(plain, trace);
    if (this.commands.push(attachments || sound ? { ...plain, ...(attachments && { attachments }), ...(sound && { sound }) } : plain)) return;
    plain.span?.ended({ kind: 'nack', code: 'robot_busy', error: '', end: 'refused' });
    this.#context.metrics.command(command.name, 'busy');
    sendReply(this.#context, gateway, {
      t: 'nack',
      id,
      code: 'robot_busy',
      error: 'The robot has too many commands waiting. Try again in a moment.',
    });
  }

  #trace(command: Command, trace: TraceField): void {
    const attributes = { 'perch.robot': this.robot, 'perch.command': command.name };
    const span = this.#context.tracing?.resume(`command ${command.name}`, trace, { kind: 'server', attributes }) ?? null;
    if (span !== null) command.span = new CommandSpan(span);
  }

  #sendState({ id, gateway, doing }: Extract<ToLink, { t: 'state' }>): void {
    const observed = doing === true ? { doing: this.#observed.at(this.now(), this.#readings, this.#speaker.isPlaying) } : {};
    sendReply(this.#context, gateway, { t: 'state', id, ...this.saved, ...observed });
  }

  get saved(): SavedState {
    return { readings: this.#readings.values, readingsAt: this.#readings.at, showing: this.#screen };
  }

  #end(state: 'moving' | 'away'): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#waits.end();
    this.#inputs.end();
    this.#speaker.stop();
    this.commands.end();
    this.#context.registry.remove(this);
    if (!this.#lost) this.#context.registry.releaseLease(this.robot, this.id, state, this.saved);
  }

  get media(): LinkContext['media'] {
    return this.#context.media;
  }

  now(): number {
    return this.#context.store.clock.now();
  }

  /** Called when Redis reports that another session holds the lease, or none. */
  loseLease(): void {
    if (this.#lost) return;
    this.#lost = true;
    if (this.#state === 'open') this.#state = 'draining';
    void this.#closeLost();
  }

  /**
   * Closes with 4001, which keeps a robot away for a minute, only if a newer session really holds the robot. Redis may as well have been restored
   * from an older copy that names a session of long ago.
   */
  async #closeLost(): Promise<void> {
    const lease = await this.#context.store.leases.find(this.robot).catch(() => null);
    if (lease?.state === 'held' && lease.session !== this.id && lease.since > this.openedAt - clocksApartMs) this.close(4001, 'replaced');
    else this.close(4009, 'not held any more');
  }

  load(command: Command): Promise<Loaded | { missing: string }> {
    return this.#writer.load(command);
  }

  write(command: Command, id: string, ttlMs: number, loaded: Loaded): ReturnType<CommandPort['write']> {
    const problem = this.#writer.write(this.#timed(command), id, ttlMs, loaded);
    if (problem === null && command.arrivedAt !== undefined) this.#context.metrics.delivered(command.name, this.now() - command.arrivedAt);
    return problem;
  }

  /** Adds the duration of a head movement for a robot with the feature move_duration. */
  #timed(command: Command): Command {
    const { name, args } = command;
    if (name !== 'head.move' || !this.#timesMoves) return command;
    const { yaw, pitch } = args as { yaw?: number; pitch?: number };
    const { head } = this.#observed.at(this.now(), this.#readings, false);
    return { ...command, args: { ...args, duration_ms: moveDurationMs(head, { yaw: yaw ?? null, pitch: pitch ?? null }) } };
  }

  commandAcked(command: Command, seconds: number, result: Record<string, unknown>): void {
    this.#context.metrics.acked(seconds);
    applyToScreenState(this.#screen, command.name, command.args);
    this.#observed.apply(command, result, this.now());
    if (command.name.startsWith('head.')) this.#readings.headCommanded();
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
          robot: this.robot,
          request_id: command.requestId,
          ...(command.span && { trace_id: command.span.traceId }),
          command: command.name,
          outcome: outcome.kind,
        },
        'command ended',
      );
    if (command.sound !== undefined && outcome.kind === 'nack') this.#speaker.rejected(command);
  }

  soundReplaced(command: Command): void {
    this.commands.settle(command, { kind: 'replaced' });
  }

  savePlaying(playing: Playing): void {
    this.#context.store.leases.savePlaying(this.robot, this.id, playing).then(
      (held) => held || this.loseLease(),
      (error: unknown) => noteFailure(this.#context, 'playing', error),
    );
  }

  stopSound(): void {
    this.commands.pushFirst({ name: 'audio.stop', args: {}, expires: this.now() + stopTtlMs, done: () => {} });
  }

  soundEnded(reason: SoundEnd): void {
    this.#context.metrics.sounds.inc({ reason });
  }
}

function isCounted(end: CommandEnd): end is keyof AckCounts {
  return (outcomes as readonly string[]).includes(end);
}

const ping = JSON.stringify({ t: 'ping' });
const pong = JSON.stringify({ t: 'pong' });

/**
 * A robot's session on one connection. It receives the messages of the robot and those of gateways for it. It ends once, and then settles everything that
 * is pending.
 */
import { parseRobotMessage, programVersion, type Hello, type Readings, type RobotMessage, type ToLink, type TraceField } from '@perch/schema';
import type { SavedState, TakenLease } from '@perch/store';
import { noteFailure, type Activity, type RobotFigures } from '../metrics/link-metrics.js';
import type { AckCounts, RobotReport } from '../metrics/robots-page.js';
import { Commands, CommandSpan, type Command, type CommandOutcome } from './commands.js';
import type { LinkContext } from './context.js';
import { Inputs } from './inputs.js';
import { Lease, type LeaseHolder } from './lease.js';
import { ScreenLight } from './light.js';
import { keepReply, replyTo, sendEndingAck, sendOutcome, sendReply } from './replies.js';
import { Liveness, type RobotSocket, type SocketOwner } from './robot-socket.js';
import { Screen } from './screen.js';
import { Speaker } from './sound.js';
import { RobotState } from './state.js';
import { SessionUpdate } from './update.js';
import { WaitController } from './wait.js';

export interface SessionOptions {
  id: string;
  robot: string;
  hello: Hello;
  taken: TakenLease;
  socket: RobotSocket;
  context: LinkContext;
  /** Called once, before the lease is released. */
  readonly onEnd: (session: Session) => void;
}

type GatewayMessage = Exclude<ToLink, { t: 'close' }>;

/** A command that arrives later than this after its call is late: the gateway gets the time of its receipt. */
const lateMs = 500;
const ping = JSON.stringify({ t: 'ping' });
const pong = JSON.stringify({ t: 'pong' });

export class Session implements SocketOwner, LeaseHolder, RobotFigures, RobotReport {
  readonly id: string;
  readonly robot: string;
  readonly account: string;
  readonly model: string;
  readonly firmware: string;
  readonly socket: RobotSocket;
  readonly lease: Lease;
  readonly commands: Commands;
  readonly waits: WaitController;
  readonly inputs: Inputs;
  readonly #context: LinkContext;
  readonly #liveness: Liveness;
  readonly #robotState: RobotState;
  readonly #speaker: Speaker;
  readonly #screen: Screen;
  readonly #light: ScreenLight;
  /** Null: the robot has another program, which the service does not update. */
  readonly #update: SessionUpdate | null;
  readonly #onEnd: SessionOptions['onEnd'];
  #state: 'open' | 'draining' | 'over' = 'open';

  constructor({ id, robot, hello, taken, socket, context, onEnd }: SessionOptions) {
    this.id = id;
    this.robot = robot;
    this.account = taken.account;
    this.model = hello.model;
    this.firmware = hello.firmware;
    this.socket = socket;
    this.#context = context;
    this.#onEnd = onEnd;
    this.#liveness = new Liveness(performance.now(), context.timing.pingMs);
    const lease = new Lease({ session: id, robot, account: taken.account, bootId: hello.boot_id }, this, context);
    this.lease = lease;
    const state = new RobotState(hello.showing);
    this.#robotState = state;
    const commands = new Commands(lease, context, socket, state, hello);
    this.commands = commands;
    this.#speaker = new Speaker(lease, context, commands, socket, hello, taken.settings);
    this.#screen = new Screen({ lease, context, commands, showing: state.screen, missing: (hash) => this.waits.pictureMissing(hash) });
    this.#light = new ScreenLight(lease, commands, hello, taken.light ?? null);
    this.waits = new WaitController(lease, context, commands, state, this.#screen, this.#light, hello.firmware);
    this.inputs = new Inputs(lease, context, socket, state, this.waits, taken);
    this.#update = programVersion(hello.firmware) === null ? null : new SessionUpdate(lease, context, commands, hello, () => this.isIdle);
    commands.followers = [this.waits, this.#screen, this.#speaker];
  }

  get acks(): AckCounts {
    return this.commands.acks;
  }

  get hasOpenWait(): boolean {
    return this.waits.isOpen;
  }

  /** No command, wait, sound or gesture is unfinished: a hand-over interrupts nothing. */
  get isIdle(): boolean {
    return this.#state === 'open' && this.commands.size === 0 && !this.waits.isOpen && !this.#speaker.isBusy && this.inputs.isQuiet;
  }

  get activity(): Activity {
    if (this.waits.isOpen) return 'asking';
    if (this.#speaker.isPlaying) return 'playing';
    if (this.#robotState.readings.headMoving) return 'moving';
    return this.#robotState.screen.card === null ? 'idle' : 'showing';
  }

  get metrics(): LinkContext['metrics'] {
    return this.#context.metrics;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  get readings(): Readings {
    return this.#robotState.readings.values;
  }

  get ageMs(): number {
    return this.lease.now() - this.lease.openedAt;
  }

  get saved(): SavedState | null {
    return this.isOver ? null : this.#savedState();
  }

  start(hello: Hello, taken: TakenLease): void {
    if (taken.connectedDue) this.announce();
    this.#screen.takeOver(hello.showing, taken.wait);
    this.waits.takeOver(taken.wait, hello.showing);
    this.#light.start();
    if (hello.playing !== undefined) this.#speaker.takeOver(hello.playing, taken.playing);
    this.#update?.start();
  }

  /** Called where readers can have seen the robot as away before. */
  announce(): void {
    this.inputs.event({ name: 'connected', data: {} });
  }

  onText(text: string): void {
    if (this.#state === 'over') return;
    if (!this.#liveness.received(text.length)) return this.close(4008, 'flooding');
    const message = parseRobotMessage(text);
    if (!('t' in message)) return this.close(4400, message.problem);
    this.#receive(message);
  }

  onControl(bytes: number): void {
    if (!this.#liveness.received(bytes)) this.close(4008, 'flooding');
  }

  onClosed(code: number): void {
    this.#context.metrics.closed(code);
    this.#end('away');
  }

  /**
   * Takes a message of a gateway. While the session drains, commands are queued and sent back when the robot leaves. False: the session no longer acts for
   * gateways, and nothing was sent.
   */
  take(message: GatewayMessage): boolean {
    // Remove the question while the robot is still connected.
    if (message.t === 'wait_end' && !this.isOver) this.waits.close(message.number);
    if (this.isOver || this.lease.isLost) return false;
    if (message.t === 'command') this.#takeCommand(message);
    else if (message.t === 'wait') this.waits.open(message.record, message.arrivedAt);
    else if (message.t === 'state') void this.#answerState(message);
    return true;
  }

  close(code: number, reason: string): void {
    if (this.#state === 'over') return;
    if (code === 4001) this.lease.markLost();
    this.#context.log.info({ robot: this.robot, session: this.id, code, reason }, 'session closed');
    this.socket.close(code, reason);
    this.#end(code === 4009 ? 'moving' : 'away');
  }

  /**
   * Waits for what is in flight (`cut` resolves when that must not take longer; null: idle), releases the lease as moving, closes with 4009 last: a
   * gateway that finds the robot elsewhere before it learns the outcome of its command can only answer outcome_unknown.
   */
  async handOver(reason: string, cut: Promise<void> | null = null): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'draining';
    const quiet = Promise.all([this.commands.drain(), this.inputs.idle()]);
    await (cut === null ? quiet : Promise.race([quiet, cut]));
    if (this.isOver) return;
    this.#end('moving');
    const { releases, store } = this.#context;
    await Promise.all([releases.done(), store.gatewayMailbox.sent()]);
    this.socket.close(4009, reason);
  }

  /** Called about once a second. @param now monotonic, ms */
  sweep(now: number, elapsedMs: number): void {
    const { timing, log } = this.#context;
    if (this.#state === 'open') {
      this.#update?.sweep();
      this.#screen.sweep(now);
    }
    switch (this.#liveness.check(now, elapsedMs, this.socket, timing)) {
      case 'ping':
        this.socket.sendText(ping);
        break;
      case 'slow':
        this.close(4008, 'too slow');
        return this.socket.terminate();
      case 'silent':
        log.info({ robot: this.robot, session: this.id }, 'robot silent');
        this.socket.terminate();
        return this.#end('away');
      case null:
    }
    if (this.#state === 'open' && this.#robotState.readings.takeDue(this.lease.now(), timing.saveMs)) this.lease.save();
  }

  /** Reads from Redis what messages may have been lost about. */
  recheck(): void {
    this.lease.save();
    void this.waits.recheck();
    void this.#readSettings();
    this.#update?.read();
  }

  leaseLost(): void {
    if (this.#state === 'open') this.#state = 'draining';
  }

  #receive(message: RobotMessage): void {
    const { metrics, robotLog, unreadable } = this.#context;
    const { clock, readings } = this.#robotState;
    switch (message.t) {
      case 'ack':
        clock.note(message.ms);
        return this.commands.onAck(message);
      case 'in':
        if (message.ms !== null) clock.note(message.ms);
        metrics.inputs.inc({ kind: message.kind });
        if (message.kind === 'unreadable') {
          unreadable.input(this.lease, message);
          // The owner sees it on the robot's page: nothing else tells why an input has no effect.
          const text = `perch cannot read input ${message.seq} (${message.of}): ${message.problem}`;
          robotLog.take(this.lease, { t: 'log', level: 'warn', text });
        }
        return this.inputs.feed(message);
      case 'sensors':
        readings.accept(message.values, this.lease.now(), metrics.readingDropped);
        return metrics.readings.observe(readings.values);
      case 'flow':
        return this.#speaker.onFlow(message.stream, message.received, message.free);
      case 'play_done':
        return this.#speaker.onDone(message.stream, message.reason);
      case 'ping':
        return this.socket.sendText(pong);
      case 'hello':
        return this.close(4400, 'a second hello');
      case 'log':
        return robotLog.take(this.lease, message);
      case 'unreadable':
        return unreadable.message(this.lease, message);
      case 'update_failed':
        return this.#update?.failed(message.version, message.error, message.refused);
      case 'pong':
      case 'unknown':
    }
  }

  #takeCommand({ id, gateway, expires, requestId, command, step, trace, arrivedAt }: Extract<GatewayMessage, { t: 'command' }>): void {
    const { name, attachments, sound, pages, countdown } = command;
    const now = this.lease.now();
    const receivedAt = arrivedAt !== undefined && now - arrivedAt > lateMs ? now : undefined;
    const noted = this.#light.command(command);
    const done = (outcome: CommandOutcome): void => {
      if (noted !== 'later') noted?.(outcome);
      const reply = replyTo(id, outcome);
      if (step?.answer !== undefined && reply.t === 'ack') return sendEndingAck(this.#context, gateway, this.robot, step, reply, receivedAt);
      // A command that was not sent has no reply to keep.
      if (step !== undefined && outcome.kind !== 'unsent' && outcome.kind !== 'media_missing') keepReply(this.#context, this.robot, step, reply);
      sendOutcome(this.#context, gateway, receivedAt !== undefined && reply.t === 'ack' ? { ...reply, receivedAt } : reply);
    };
    const { limits } = this.#speaker;
    if (limits.silences(name, now)) return done({ kind: 'ack', ms: 0, result: { silenced: 'quiet_hours' } });
    if (noted === 'later') return done({ kind: 'ack', ms: 0, result: {} });
    // Spreading the whole message would take longer than everything else here.
    const plain: Command = { name, args: limits.limited(name, command.args), expires, requestId, done };
    if (arrivedAt !== undefined) plain.arrivedAt = arrivedAt;
    if (trace !== undefined) this.#trace(plain, trace);
    if (pages !== undefined) plain.pages = pages;
    if (countdown !== undefined) plain.countdown = countdown;
    if (attachments !== undefined) plain.attachments = attachments;
    if (sound !== undefined) plain.sound = sound;
    if (this.commands.push(plain)) return;
    noted?.({ kind: 'unsent' });
    plain.span?.ended({ kind: 'nack', code: 'robot_busy', error: '', end: 'refused' });
    this.#context.metrics.command(name, 'busy');
    const error = 'The robot has too many commands waiting. Try again in a moment.';
    sendReply(this.#context, gateway, { t: 'nack', id, code: 'robot_busy', error });
  }

  #trace(command: Command, trace: TraceField): void {
    const attributes = { 'perch.robot': this.robot, 'perch.command': command.name };
    const span = this.#context.tracing?.resume(`command ${command.name}`, trace, { kind: 'server', attributes }) ?? null;
    if (span !== null) command.span = new CommandSpan(span);
  }

  async #answerState({ id, gateway, doing, settings }: Extract<GatewayMessage, { t: 'state' }>): Promise<void> {
    if (settings === true && !(await this.#readSettings())) return;
    if (settings === true) this.#update?.read();
    const observed = doing === true ? { doing: this.#robotState.observed(this.lease.now(), this.#speaker.isPlaying) } : {};
    sendReply(this.#context, gateway, { t: 'state', id, ...this.#robotState.saved, ...observed });
  }

  /** @returns false when Redis failed: the old settings stay in force */
  async #readSettings(): Promise<boolean> {
    const { store } = this.#context;
    const read = await store.robots.chosenOf(this.robot).catch((error: unknown) => noteFailure(this.#context, 'settings', error));
    if (read) this.#speaker.limits.settings = read.settings;
    return read !== undefined;
  }

  #savedState(): SavedState {
    const pages = this.#screen.pagesOfCard;
    const light = this.#light.saved;
    return { ...this.#robotState.saved, ...(pages && { pages }), ...(light && { light }) };
  }

  #end(state: 'moving' | 'away'): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    const saved = this.#savedState();
    this.#screen.stop();
    this.waits.end();
    this.inputs.end();
    this.#speaker.stop();
    this.#light.stop();
    this.commands.end();
    this.#onEnd(this);
    // A command that was not sent has not changed the light.
    const light = this.#light.saved;
    this.lease.release(state, light === null ? saved : { ...saved, light });
  }
}

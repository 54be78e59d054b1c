/** A robot's session on one connection. It ends once, and then settles everything that is pending. */
import { limits, parseRobotMessage, programVersion, type Hello, type Readings } from '@perch/schema';
import type { SavedState, TakenLease } from '@perch/store';
import { ScreenPages } from '../cards/screen-pages.js';
import { CommandQueue } from '../commands/command-queue.js';
import { CommandWriter } from '../commands/command-writer.js';
import { Liveness } from '../connection/liveness.js';
import type { RobotSocket, SocketOwner } from '../connection/robot-socket.js';
import { InputQueue } from '../input/input-queue.js';
import { SoundLimits } from '../media/sound-limits.js';
import { Speaker } from '../media/speaker.js';
import type { Activity, CountedRobot } from '../metrics/link-metrics.js';
import type { AckCounts, ReportedRobot } from '../metrics/robots-page.js';
import { WaitController } from '../waits/wait-controller.js';
import { CardKeeper } from './card-keeper.js';
import type { LinkContext } from './context.js';
import { GatewayMessages } from './gateway-messages.js';
import { HeldLease, type LeaseHolder } from './held-lease.js';
import { RobotClock } from './robot-clock.js';
import { RobotMessages } from './robot-messages.js';
import { RobotState } from './robot-state.js';
import { ScreenLight } from './screen-light.js';
import { SessionCommands } from './session-commands.js';
import { SessionInputs } from './session-inputs.js';
import { SessionSounds } from './session-sounds.js';
import { SessionWaits } from './session-waits.js';
import { SessionUpdate } from '../updates/session-update.js';

export interface SessionOptions {
  id: string;
  robot: string;
  hello: Hello;
  taken: TakenLease;
  socket: RobotSocket;
  context: LinkContext;
}

export class Session implements SocketOwner, LeaseHolder, CountedRobot, ReportedRobot {
  readonly id: string;
  readonly robot: string;
  readonly account: string;
  readonly model: string;
  readonly firmware: string;
  readonly acks: AckCounts;
  readonly bootId: string;
  readonly socket: RobotSocket;
  readonly commands: CommandQueue;
  readonly lease: HeldLease;
  readonly waits: WaitController;
  readonly gatewayMessages: GatewayMessages;
  /** Redis time, ms. */
  readonly openedAt: number;
  readonly #context: LinkContext;
  readonly #liveness: Liveness;
  readonly #robotState: RobotState;
  readonly #speaker: Speaker;
  readonly #inputs: InputQueue;
  readonly #messages: RobotMessages;
  readonly #cardKeeper: CardKeeper;
  readonly #pages: ScreenPages;
  readonly #light: ScreenLight;
  /** Null: the robot has another program, which the service does not update. */
  readonly #update: SessionUpdate | null;
  #state: 'open' | 'draining' | 'over' = 'open';

  constructor({ id, robot, hello, taken, socket, context }: SessionOptions) {
    this.id = id;
    this.robot = robot;
    this.account = taken.account;
    this.model = hello.model;
    this.firmware = hello.firmware;
    this.bootId = hello.boot_id;
    this.socket = socket;
    this.#context = context;
    this.openedAt = this.now();
    this.#liveness = new Liveness(performance.now(), context.timing.pingMs);
    this.lease = new HeldLease(this, context);
    this.#robotState = new RobotState(hello.showing);
    this.#cardKeeper = new CardKeeper(this, context);
    this.#pages = new ScreenPages({
      session: this,
      context,
      screen: this.#robotState.screen,
      missing: (hash) => this.waits.pictureMissing(hash),
    });
    const partBytesMax = hello.audio?.max_part_bytes ?? limits.link.partBytesDefault;
    this.#speaker = new Speaker(
      new SessionSounds({ session: this, lease: this.lease, context, partBytesMax, bufferBytes: hello.audio?.buffer_bytes ?? 0 }),
    );
    const lightsQuestions = hello.features.includes('lights_questions');
    this.#light = new ScreenLight({ session: this, declared: hello.commands, lightsQuestions, saved: taken.light ?? null });
    const soundLimits = new SoundLimits(taken.settings);
    const sessionCommands = new SessionCommands({
      session: this,
      context,
      state: this.#robotState,
      speaker: this.#speaker,
      pages: this.#pages,
      writer: new CommandWriter({ session: id, socket, media: context.media, speaker: this.#speaker, partBytesMax }),
      timesMoves: hello.features.includes('move_duration'),
      limits: soundLimits,
      light: this.#light,
    });
    this.acks = sessionCommands.acks;
    // The prefix is unique to the session, since the robot remembers command ids across the sessions of a boot.
    this.commands = new CommandQueue(sessionCommands, id.slice('s-'.length));
    this.#inputs = new InputQueue(new SessionInputs({ session: this, lease: this.lease, context, readings: this.#robotState.readings }), taken);
    const clock = new RobotClock();
    this.waits = new WaitController(
      new SessionWaits({ session: this, lease: this.lease, context, clock, pages: this.#pages, firmware: hello.firmware, light: this.#light }),
    );
    this.#update = programVersion(hello.firmware) === null ? null : new SessionUpdate(this, context, hello);
    // One object, which both receivers keep.
    const parts = {
      session: this,
      context,
      sessionCommands,
      waits: this.waits,
      state: this.#robotState,
      speaker: this.#speaker,
      limits: soundLimits,
      clock,
      inputs: this.#inputs,
      update: this.#update,
    };
    this.#messages = new RobotMessages(parts);
    this.gatewayMessages = new GatewayMessages(parts);
  }

  get hasOpenWait(): boolean {
    return this.waits.isOpen;
  }

  /** No command, wait, sound or gesture is unfinished: a hand-over interrupts nothing. */
  get isIdle(): boolean {
    return this.#state === 'open' && this.commands.size === 0 && !this.waits.isOpen && this.#speaker.stream === null && this.#inputs.isQuiet;
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

  get lastSeq(): number {
    return this.#inputs.lastSeq;
  }

  get ageMs(): number {
    return this.now() - this.openedAt;
  }

  start(hello: Hello, taken: TakenLease): void {
    if (taken.connectedDue) this.announce();
    this.#pages.takeOver(hello.showing, taken.wait);
    this.waits.takeOver(taken.wait, hello.showing);
    this.#light.start();
    if (hello.playing !== undefined) this.#speaker.takeOver(hello.playing, taken.playing);
    this.#update?.start();
  }

  /** Called where readers can have seen the robot as away before. */
  announce(): void {
    this.#inputs.event({ name: 'connected', data: {} });
  }

  onText(text: string): void {
    if (this.#state === 'over') return;
    if (!this.#liveness.received(text.length)) return this.close(4008, 'flooding');
    const message = parseRobotMessage(text);
    if (!('t' in message)) return this.close(4400, message.problem);
    this.#messages.receive(message);
  }

  onControl(bytes: number): void {
    if (!this.#liveness.received(bytes)) this.close(4008, 'flooding');
  }

  onClosed(code: number): void {
    this.#context.metrics.closed(code);
    this.#end('away');
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
    const quiet = Promise.all([this.commands.drain(), this.#inputs.idle()]);
    await (cut === null ? quiet : Promise.race([quiet, cut]));
    if (this.isOver) return;
    this.#end('moving');
    const { registry, store } = this.#context;
    await Promise.all([registry.releasesDone(), store.gatewayMailbox.sent()]);
    this.socket.close(4009, reason);
  }

  sweep(now: number, elapsedMs: number): void {
    if (this.#state === 'open') this.#update?.sweep();
    // Pages that turn are renewed with each turn.
    if (this.#state === 'open' && this.#pages.ofCard === null) this.#cardKeeper.sweep(this.#robotState.screen.card, now);
    switch (this.#liveness.check(now, elapsedMs, this.socket, this.#context.timing)) {
      case 'ping':
        return this.socket.sendText(ping);
      case 'slow':
        this.close(4008, 'too slow');
        return this.socket.terminate();
      case 'silent':
        this.#context.log.info({ robot: this.robot, session: this.id }, 'robot silent');
        this.socket.terminate();
        return this.#end('away');
      case null:
    }
  }

  takeDue(): SavedState | null {
    return this.#state === 'open' && this.#robotState.readings.takeDue(this.now(), this.#context.timing.saveMs) ? this.saved : null;
  }

  recheck(): void {
    void this.waits.recheck();
    void this.gatewayMessages.readSettings();
    this.#update?.read();
  }

  sendAck(): void {
    const seq = this.#inputs.takeAck();
    if (seq !== null) this.socket.sendJson({ t: 'in_ack', seq });
  }

  get saved(): SavedState {
    const pages = this.#pages.ofCard;
    const light = this.#light.saved;
    return { ...this.#robotState.saved, ...(pages && { pages }), ...(light && { light }) };
  }

  save(): void {
    if (this.#state !== 'over') void this.lease.save(this.saved);
  }

  #end(state: 'moving' | 'away'): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    const { saved } = this;
    this.#pages.stop();
    this.waits.end();
    this.#inputs.end();
    this.#speaker.stop();
    this.#light.stop();
    this.commands.end();
    this.#context.registry.remove(this);
    // A command that was not sent has not changed the light.
    const light = this.#light.saved;
    this.lease.release(state, light === null ? saved : { ...saved, light });
  }

  now(): number {
    return this.#context.store.clock.now();
  }

  leaseLost(): void {
    if (this.#state === 'open') this.#state = 'draining';
  }
}

const ping = JSON.stringify({ t: 'ping' });

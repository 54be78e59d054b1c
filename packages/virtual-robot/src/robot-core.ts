/**
 * The virtual robot: its parts, its link and its state, without APIs that only Node or only browsers have. The base class `RobotState` has the parts,
 * which a restart replaces.
 */

import type { Pace } from './body/body.js';
import { until } from './body/condition.js';
import { Sensors, type Reading } from './body/sensors.js';
import type { PlayEnd, Sound } from './body/speaker.js';
import { systemClock, Timers, type Clock } from './clock.js';
import { CommandQueue, type ReceivedCommand } from './commands/command-queue.js';
import { prepareCommand, type Parts } from './commands/standard-commands.js';
import { Faults } from './connection/faults.js';
import { Link } from './connection/link.js';
import type { Closed } from './connection/link-host.js';
import type { Ack, Boot, Cmd, DialReason, Fields, LogLevel, Welcome } from './connection/messages.js';
import { helloOf } from './hello.js';
import { InputLog } from './input/input-log.js';
import { defaults, type CoreOptions } from './options.js';
import { randomHex } from './random-hex.js';
import type { EmitEvent } from './robot-events.js';
import { createParts } from './robot-parts.js';
import { RobotState } from './robot-state.js';
import { summaryOf } from './robot-summary.js';
import { RobotTime } from './robot-time.js';
import { SensorReports } from './sensor-reports.js';
import { Updates } from './updates.js';

const commandsKept = 1000;
const violationsKept = 200;

export class RobotCore extends RobotState {
  readonly serial: string;
  readonly faults: Faults;
  /** The last 1,000 commands, without repeated ones; a restart does not clear them. */
  readonly commands: ReceivedCommand[] = [];
  /** The first 200 breaches of the link protocol by the service. */
  readonly violations: string[] = [];
  readonly inputs = new InputLog();
  readonly sensors: Sensors;
  readonly updates: Updates;
  bootId = '';
  lastClosed: Closed | null = null;
  readonly #options: CoreOptions;
  readonly #clock: Clock;
  readonly #link: Link;
  /** Read by the link at each dial. */
  readonly #target: { url: string; token: string };
  readonly #shape: Parts['shape'];
  #queue!: CommandQueue;
  readonly #time: RobotTime;
  readonly #reports: SensorReports;
  #lastBoot: Boot | null;

  readonly #publish: EmitEvent = (name, event) => {
    this.emit(name, event);
    this.#changed();
  };

  constructor(options: CoreOptions) {
    super();
    this.#options = options;
    // Passes no real time: enough for every question.
    if (options.instant === true) this.lookMs = 1000;
    this.#lastBoot = options.boot ?? null;
    this.#clock = options.clock ?? systemClock;
    this.#time = new RobotTime(this.#clock);
    this.serial = options.serial ?? `virtual-${randomHex(8, () => this.random())}`;
    this.#shape = { screen: { ...defaults.screen, ...options.screen }, audio: { ...defaults.audio, ...options.audio }, leds: defaults.leds };
    this.sensors = new Sensors(() => this.random());
    this.#reports = new SensorReports(this.sensors, this.#clock, {
      state: () => ({ head: this.head, proximityRaw: this.proximityRaw, usb: this.usb, uptimeMs: this.ms }),
      send: (values) => {
        this.#link.send({ t: 'sensors', values });
        this.#changed();
      },
    });
    this.#target = { url: options.url, token: options.token };
    this.#link = new Link(
      {
        target: this.#target,
        open: options.open,
        clock: this.#clock,
        random: () => this.random(),
        pace: { ...defaults.reconnect, ...options.reconnect },
        silenceMs: options.silenceMs ?? defaults.silenceMs,
      },
      {
        hello: (dial, reason) => helloOf(options, { bootId: this.bootId, dial, reason, boot: this.#lastBoot }, this.parts),
        welcomed: (welcome) => this.#welcomed(welcome),
        command: (cmd) => this.#command(cmd),
        inAck: (seq) => this.#inAck(seq),
        binary: (bytes) => this.parts.media.take(bytes),
        lost: () => this.#lost(),
        closed: (event) => {
          this.lastClosed = event;
          this.#publish('closed', event);
        },
        violation: (what) => this.#violation(what),
        log: (line) => options.log?.(line),
      },
    );
    this.faults = new Faults(this.#link, options.faults);
    this.#link.use(this.faults.settings);
    this.updates = new Updates(this, options, { target: this.#target, link: this.#link });
    this.#boot();
  }

  get online(): boolean {
    return this.#link.online;
  }

  get session(): string | null {
    return this.#link.session;
  }

  get dials(): number {
    return this.#link.dials;
  }

  get ms(): number {
    return this.#time.ms;
  }

  /** Resolves at the first welcome. @throws {LinkError} the token is not valid, or the robot was stopped */
  start(): Promise<void> {
    return this.#link.start();
  }

  /** For the next dial; an open connection continues. */
  dialAt(url: string): void {
    this.#target.url = url;
  }

  /** Keeps the state; the robot can be started again. */
  async stop(): Promise<void> {
    this.#reports.stop();
    await this.#link.stop();
  }

  /** As after a power cut: drops the connection and all state, and reconnects. */
  restart(reason: DialReason = 'restart', boot: Boot = { cause: 'reset' }): void {
    this.#lastBoot = boot;
    this.parts.timers.stopAll();
    this.#reports.stop();
    this.#boot();
    this.#link.boot(reason);
    this.#changed();
  }

  /** `undefined`: the reading varies again. */
  setReading(name: string, value: Reading | undefined): void {
    this.sensors.set(name, value);
  }

  reportNow(): void {
    this.#reports.reportNow();
  }

  /** Checked at every change and every 25 ms. @throws {Error} not within `timeoutMs` (40 s: it bounds a failure and measures nothing) */
  until(predicate: (robot: this) => boolean, { timeoutMs = 40_000, what }: { timeoutMs?: number; what?: string } = {}): Promise<void> {
    return until({
      clock: this.#clock,
      timeoutMs,
      holds: () => predicate(this),
      onChange: (check) => this.on('change', check),
      timeoutMessage: () => `not within ${timeoutMs} ms: ${what ?? predicate.toString()}; ${this.summary()}`,
    });
  }

  summary(): string {
    return summaryOf(this);
  }

  /** Discarded while offline. */
  log(level: LogLevel, text: string): void {
    this.#link.send({ t: 'log', level, text });
  }

  input(kind: string, fields: Fields): number {
    const input = this.inputs.add(this.ms, kind, fields);
    this.#link.send(input);
    this.#publish('input', input);
    return input.seq;
  }

  /** Waits, or only advances the robot's clock if `instant`. */
  protected passTime(ms: number, { instant = this.#options.instant ?? false }: Pace): Promise<void> {
    return this.#time.pass(ms, instant);
  }

  protected random(): number {
    return (this.#options.random ?? Math.random)();
  }

  #boot(): void {
    this.bootId = randomHex(6, () => this.random());
    this.#time.boot();
    this.screenMs = -Infinity;
    this.inputs.boot();
    const timers = new Timers(this.#clock, { background: true });
    const { features = defaults.features, commands: ownCommands = defaults.commands } = this.#options;
    this.parts = createParts({ shape: this.#shape, features, ownCommands, faults: this.faults.settings, updates: this.updates }, timers, {
      ms: () => this.ms,
      emit: this.#publish,
      samples: (sound) => this.emit('samples', sound),
      flow: (report) => !this.faults.settings.noFlow && this.#link.send({ t: 'flow', ...report }),
      playDone: (sound, reason) => this.#playDone(sound, reason),
      violation: (what) => this.#violation(what),
      changed: () => this.#changed(),
    });
    this.#queue = new CommandQueue(
      {
        prepare: (command) => prepareCommand(command.name, command.args, this.parts),
        send: (ack) => this.#ack(ack),
        settled: (command) => this.#settled(command),
        violation: (what) => this.#violation(what),
        robotMs: () => this.ms,
      },
      timers,
      this.faults.settings,
    );
  }

  #welcomed(welcome: Welcome): void {
    this.#reports.setTime(welcome.time_ms);
    this.#inAck(welcome.in_ack);
    this.updates.welcomed(welcome.update);
    for (const input of this.inputs.unacked) this.#link.send(input);
    this.parts.speaker.report();
    this.sensors.reportAll();
    if (this.#options.sensors ?? true) this.#reports.start(welcome.sensors_ms, this.parts.timers);
    this.#publish('session', welcome);
  }

  #command(cmd: Cmd): void {
    const { command, isNew } = this.#queue.receive(cmd);
    if (!isNew) return this.parts.media.refuse(cmd.args['stream']);
    this.commands.push(command);
    if (this.commands.length > commandsKept) this.commands.shift();
    this.#publish('command', command);
  }

  #settled(command: ReceivedCommand): void {
    const { ack } = command;
    this.noteScreen(command);
    const isInjected = this.faults.settings.nack !== null;
    if (ack && !ack.ok && !isInjected && (ack.code === 'bad_args' || ack.code === 'unknown'))
      this.#violation(`${command.name} ${command.id}: ${ack.error}`);
    this.#publish('settled', command);
  }

  #ack(ack: Ack): void {
    if (this.#link.send(ack)) this.#publish('ack', ack);
  }

  #inAck(seq: number): void {
    const problem = this.inputs.ack(seq);
    if (problem) this.#violation(problem);
    this.#changed();
  }

  #playDone(sound: Sound, reason: PlayEnd): void {
    const { stream, id } = sound;
    this.parts.media.end(stream);
    this.#link.send({ t: 'play_done', stream, reason });
    this.#publish('playDone', { stream, id, reason });
  }

  #lost(): void {
    this.#reports.stop();
    this.parts.media.connectionLost();
    this.#queue.connectionLost();
    this.#changed();
  }

  #violation(what: string): void {
    if (this.violations.length < violationsKept) this.violations.push(what);
    this.#publish('violation', what);
  }

  #changed(): void {
    this.emit('change', undefined);
  }
}

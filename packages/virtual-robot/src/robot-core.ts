/** The virtual robot: its parts, its link and its state, free of anything only Node or only a page has. */

import { Body, type Pace } from './body/body.js';
import { systemClock, Timers, type Clock } from './clock.js';
import { until } from './body/condition.js';
import { CommandQueue, type ReceivedCommand } from './commands/command-queue.js';
import { Face, type Bubble, type Emotion, type View } from './body/face.js';
import { Faults } from './connection/faults.js';
import { Head, type HeadGesture, type HeadState } from './body/head.js';
import { IncomingMedia } from './body/incoming-media.js';
import { InputLog } from './input/input-log.js';
import { Leds, type LedState } from './body/leds.js';
import { Link, type Closed } from './connection/link.js';
import type { Ack, Boot, Cmd, DialReason, Fields, Hello, Input, LogLevel, Welcome } from './connection/messages.js';
import { defaults, type CoreOptions } from './options.js';
import { newOwnState, stickerAt, type OwnCommand, type OwnState } from './commands/own-commands.js';
import { Screen, type Cleared, type Layer, type Shown } from './body/screen.js';
import { Sensors, type Reading } from './body/sensors.js';
import { Speaker, type PlayEnd, type Sound } from './body/speaker.js';
import { prepareCommand, type Parts } from './commands/standard-commands.js';

export interface RobotEvents {
  /** A picture came up on a layer. */
  picture: Shown & { layer: Layer };
  clear: Cleared;
  leds: LedState;
  face: { emotion: Emotion; view: View };
  head: HeadState & { gesture: HeadGesture | null };
  /** The bubble that came up, or null when it went. */
  bubble: Bubble | null;
  /** The first sample of a sound. */
  sound: Sound;
  /** More of a sound came in; before its first sample, and while it plays. */
  samples: Sound;
  playDone: { stream: number; id: string; reason: PlayEnd };
  /** A command came in, its first time. */
  command: ReceivedCommand;
  /** What became of a command. */
  settled: ReceivedCommand;
  ack: Ack;
  /** An input was made. */
  input: Input;
  session: Welcome;
  closed: Closed;
  violation: string;
  /** Anything of the robot's state changed. */
  change: RobotCore;
}

const commandsKept = 1000;
const violationsKept = 200;

export class RobotCore extends Body<RobotEvents> {
  readonly serial: string;
  readonly faults: Faults;
  /** The last 1,000 it received, repeats not counted, over restarts. */
  readonly commands: ReceivedCommand[] = [];
  /** What the service did against the link's contract; a test of the service expects none. */
  readonly violations: string[] = [];
  readonly inputs = new InputLog();
  readonly sensors: Sensors;
  bootId = '';
  /** The last end of a connection. */
  lastClosed: Closed | null = null;
  readonly #options: CoreOptions;
  readonly #clock: Clock;
  readonly #link: Link;
  /** The link reads it at each dial. */
  readonly #target: { url: string; token: string };
  readonly #ownCommands: readonly OwnCommand[];
  readonly #shape: Parts['shape'];
  #parts!: Parts;
  #queue!: CommandQueue;
  #bootAt = 0;
  #aheadMs = 0;
  #welcomeTime: { ms: number; at: number } | null = null;
  #stopReporting: () => void = () => undefined;
  #bootTold: Boot | null;

  constructor(options: CoreOptions) {
    super();
    this.#options = options;
    this.#bootTold = options.boot ?? null;
    this.#clock = options.clock ?? systemClock;
    this.serial = options.serial ?? `virtual-${this.#hex(8)}`;
    this.#ownCommands = options.commands ?? defaults.commands;
    this.#shape = { screen: { ...defaults.screen, ...options.screen }, audio: { ...defaults.audio, ...options.audio }, leds: defaults.leds };
    this.sensors = new Sensors(() => this.random());
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
        hello: (dial, reason) => this.#hello(dial, reason),
        welcomed: (welcome) => this.#welcomed(welcome),
        command: (cmd) => this.#command(cmd),
        inAck: (seq) => this.#inAck(seq),
        binary: (bytes) => this.#parts.media.take(bytes),
        lost: () => this.#lost(),
        closed: (event) => {
          this.lastClosed = event;
          this.#tell('closed', event);
        },
        violation: (what) => this.#violation(what),
        log: (line) => options.log?.(line),
      },
    );
    this.faults = new Faults(this.#link, options.faults);
    this.#link.use(this.faults.settings);
    this.#boot();
  }

  get online(): boolean {
    return this.#link.online;
  }

  /** Id of the present session, or null. */
  get session(): string | null {
    return this.#link.session;
  }

  /** Connections it tried since it booted. */
  get dials(): number {
    return this.#link.dials;
  }

  get screen(): { readonly card: Shown | null; readonly question: Shown | null; readonly covered: boolean } {
    return this.#parts.screen;
  }

  get bubble(): Bubble | null {
    return this.#parts.face.bubble;
  }

  get face(): { emotion: Emotion; view: View } {
    const { emotion, view } = this.#parts.face;
    return { emotion, view };
  }

  get head(): HeadState {
    const { yaw, pitch, moving } = this.#parts.head;
    return { yaw, pitch, moving };
  }

  get leds(): LedState {
    const { pixels, effect } = this.#parts.leds;
    return { pixels, effect };
  }

  get volume(): number {
    return this.#parts.speaker.volume;
  }

  /** The last sounds since it booted, with the PCM it was sent. */
  get sounds(): readonly Sound[] {
    return this.#parts.speaker.sounds;
  }

  /** The sound that plays or is about to. */
  get playing(): Sound | null {
    return this.#parts.speaker.playing;
  }

  /** What its own commands changed: brightness, stickers and so on. */
  get own(): OwnState {
    return this.#parts.own;
  }

  /** The robot's clock: milliseconds since boot, whole. */
  get ms(): number {
    return Math.floor(this.#clock.now() - this.#bootAt + this.#aheadMs);
  }

  /** Dials until it is welcomed; rejects when the token is no good or it is stopped. */
  start(): Promise<void> {
    return this.#link.start();
  }

  /** From its next dial on it dials there; a connection that stands goes on. */
  dialAt(url: string): void {
    this.#target.url = url;
  }

  /** Closes cleanly and keeps its state; it can be started again. */
  async stop(): Promise<void> {
    this.#stopReporting();
    await this.#link.stop();
  }

  /** Loses the connection and everything it showed, played and remembered, and comes back as after a power cut. */
  restart(reason: DialReason = 'restart', boot: Boot = { cause: 'reset' }): void {
    this.#bootTold = boot;
    this.#parts.timers.stopAll();
    this.#stopReporting();
    this.#boot();
    this.#link.boot(reason);
    this.#changed();
  }

  /** Sets a reading, reported from the next time on; `undefined` lets it vary again. */
  setReading(name: string, value: Reading | undefined): void {
    this.sensors.set(name, value);
  }

  /** Reports its readings now, not at the next turn. */
  reportNow(): void {
    const { head } = this;
    const time = this.#welcomeTime;
    const unixS = time ? (time.ms + this.#clock.now() - time.at) / 1000 : null;
    const values = this.sensors.report({ head, proximityRaw: this.proximityRaw, usb: this.usb, uptimeMs: this.ms, unixS });
    this.#link.send({ t: 'sensors', values });
    this.#changed();
  }

  /** Resolves once `predicate` holds; looked at on every change, and every 25 ms. */
  until(predicate: (robot: this) => boolean, { timeoutMs = 5000, what }: { timeoutMs?: number; what?: string } = {}): Promise<void> {
    return until({
      clock: this.#clock,
      timeoutMs,
      holds: () => predicate(this),
      onChange: (look) => this.on('change', look),
      late: () => `not within ${timeoutMs} ms: ${what ?? predicate.toString()}; ${this.summary()}`,
    });
  }

  /** Where it stands, in a line, for a failed test. */
  summary(): string {
    const { card, question } = this.screen;
    const last = this.commands.slice(-3).map(({ id, name, outcome }) => `${id} ${name} ${outcome}`);
    return JSON.stringify({
      online: this.online,
      dials: this.dials,
      card: card?.id ?? null,
      question: question?.id ?? null,
      playing: this.playing?.id ?? null,
      inputs: `${this.inputs.acked}/${this.inputs.seq}`,
      last,
      closed: this.lastClosed?.code ?? null,
      violations: this.violations.slice(-3),
    });
  }

  /** Sends a line of its own log; lost when it is not connected. */
  log(level: LogLevel, text: string): void {
    this.#link.send({ t: 'log', level, text });
  }

  input(kind: string, fields: Fields): number {
    const input = this.inputs.add(this.ms, kind, fields);
    this.#link.send(input);
    this.#tell('input', input);
    return input.seq;
  }

  protected passTime(ms: number, { instant = this.#options.instant ?? false }: Pace): Promise<void> {
    if (!instant) return new Promise((resolve) => this.#clock.setTimeout(resolve, ms));
    this.#aheadMs += ms;
    return Promise.resolve();
  }

  protected spriteAt(x: number, y: number): string | null {
    return this.#parts.screen.covered ? null : (stickerAt(this.own.stickers.values(), x, y)?.id ?? null);
  }

  protected random(): number {
    return (this.#options.random ?? Math.random)();
  }

  #boot(): void {
    this.bootId = this.#hex(6);
    this.#bootAt = this.#clock.now();
    this.#aheadMs = 0;
    this.inputs.boot();
    const timers = new Timers(this.#clock, { background: true });
    const violation = (what: string): void => this.#violation(what);
    this.#parts = {
      screen: new Screen(timers, () => this.ms, {
        picture: (event) => this.#tell('picture', event),
        clear: (event) => this.#tell('clear', event),
      }),
      face: new Face(timers, { face: (state) => this.#tell('face', state), bubble: (bubble) => this.#tell('bubble', bubble) }),
      head: new Head(timers, (state) => this.#tell('head', state)),
      leds: new Leds(this.#shape.leds.count, timers, (state) => this.#tell('leds', state)),
      speaker: new Speaker(this.#shape.audio.buffer_bytes, timers, {
        started: (sound) => this.#tell('sound', sound),
        heard: (sound) => this.emit('samples', sound),
        flow: (report) => !this.faults.settings.noFlow && this.#link.send({ t: 'flow', ...report }),
        done: (sound, reason) => this.#playDone(sound, reason),
        violation,
      }),
      media: new IncomingMedia(this.#shape.audio.max_part_bytes, violation),
      own: newOwnState(),
      ownCommands: this.#ownCommands,
      features: this.#options.features ?? defaults.features,
      shape: this.#shape,
      timers,
      faults: this.faults.settings,
    };
    this.#queue = new CommandQueue(
      {
        prepare: (command) => prepareCommand(command.name, command.args, this.#parts),
        send: (ack) => this.#ack(ack),
        settled: (command) => this.#settled(command),
        violation,
        robotMs: () => this.ms,
      },
      timers,
      this.faults.settings,
    );
  }

  #hello(dial: number, reason: DialReason): Hello {
    const { model = defaults.model, firmware = defaults.firmware } = this.#options;
    const { features, screen, face, speaker } = this.#parts;
    const has = (feature: string): boolean => features.includes(feature);
    const playing = speaker.playing;
    return {
      t: 'hello',
      v: [1],
      model,
      firmware,
      boot_id: this.bootId,
      dial,
      reason,
      ...(this.#bootTold === null ? {} : { boot: this.#bootTold }),
      ...(has('screen') ? { screen: this.#shape.screen } : {}),
      ...(has('speaker') ? { audio: this.#shape.audio } : {}),
      ...(has('leds') ? { leds: this.#shape.leds } : {}),
      features: [...features],
      showing: { card: screen.card?.id ?? null, question: screen.question?.id ?? null, emotion: face.emotion, view: face.view },
      ...(playing ? { playing: { stream: playing.stream, id: playing.id, received: playing.received } } : {}),
      commands: this.#ownCommands.map(({ name, description, class: kind, args }) => ({ name, description, class: kind, args })),
    };
  }

  #welcomed(welcome: Welcome): void {
    this.#welcomeTime = { ms: welcome.time_ms, at: this.#clock.now() };
    this.#inAck(welcome.in_ack);
    for (const input of this.inputs.unacked) this.#link.send(input);
    this.#parts.speaker.report();
    this.sensors.forgetTold();
    if (this.#options.sensors ?? true) this.#reportEvery(welcome.sensors_ms);
    this.#tell('session', welcome);
  }

  #reportEvery(ms: number): void {
    this.#stopReporting();
    this.reportNow();
    this.#stopReporting = this.#parts.timers.after(ms, () => this.#reportEvery(ms));
  }

  #command(cmd: Cmd): void {
    const { command, isNew } = this.#queue.receive(cmd);
    if (!isNew) return this.#parts.media.refuse(cmd.args['stream']);
    this.commands.push(command);
    if (this.commands.length > commandsKept) this.commands.shift();
    this.#tell('command', command);
  }

  #settled(command: ReceivedCommand): void {
    const { ack } = command;
    const isMadeUp = this.faults.settings.nack !== null;
    if (ack && !ack.ok && !isMadeUp && (ack.code === 'bad_args' || ack.code === 'unknown'))
      this.#violation(`${command.name} ${command.id}: ${ack.error}`);
    this.#tell('settled', command);
  }

  #ack(ack: Ack): void {
    if (this.#link.send(ack)) this.#tell('ack', ack);
  }

  #inAck(seq: number): void {
    const problem = this.inputs.ack(seq);
    if (problem) this.#violation(problem);
    this.#changed();
  }

  #playDone(sound: Sound, reason: PlayEnd): void {
    const { stream, id } = sound;
    this.#parts.media.end(stream);
    this.#link.send({ t: 'play_done', stream, reason });
    this.#tell('playDone', { stream, id, reason });
  }

  #lost(): void {
    this.#stopReporting();
    this.#parts.media.connectionLost();
    this.#queue.connectionLost();
    this.#changed();
  }

  #violation(what: string): void {
    if (this.violations.length < violationsKept) this.violations.push(what);
    this.#tell('violation', what);
  }

  #tell<N extends Exclude<keyof RobotEvents, 'change'>>(name: N, event: RobotEvents[N]): void {
    this.emit(name, event);
    this.#changed();
  }

  #changed(): void {
    this.emit('change', this);
  }

  #hex(digits: number): string {
    return Array.from({ length: digits }, () => Math.floor(this.random() * 16).toString(16)).join('');
  }
}

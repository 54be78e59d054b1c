/** The state of a robot in MicroPython as its program reports it line by line, with the fields and events of the virtual robot. */
import {
  Body,
  type Bubble,
  type Fields,
  type HeadState,
  type Input,
  type Layer,
  type LedState,
  type OwnState,
  type PlayEnd,
  type ReceivedCommand,
  type RobotEvents,
  type Shown,
  type Welcome,
} from '@perch/virtual-robot';
import { rgbaOf } from './own-screen.js';
import { PlayedSound } from './played-sound.js';
import { takeFile } from './robot-process.js';

export interface MicropythonEvents extends Omit<RobotEvents, 'sound' | 'samples' | 'closed'> {
  /** That it needs to be paired is told by `code`. */
  closed: Omit<RobotEvents['closed'], 'pair'>;
  /** At its first sample. */
  sound: PlayedSound;
  /** The most processor time that one turn of the program's loop has taken since its start, ms. */
  longest: { ms: number };
  /** Free memory after a collection of garbage. */
  heap: { freeKb: number };
  /** The screen that the robot draws by itself. */
  frame: { rgba: Uint8ClampedArray };
  code: { code: string; uri: string };
  /** It has set its clock, Unix time in s. */
  clock: { s: number };
  paired: { robot: string };
  /** What its screen says while the robot cannot work; both empty: nothing. */
  notice: { name: string | null; lines: [title: string, detail: string] };
}

const commandsKept = 1000;
const soundsKept = 8;
const violationsKept = 200;
const features = ['screen', 'touch', 'face', 'bubble', 'head', 'leds', 'speaker', 'move_duration', 'open_sound', 'lights_questions'];

type ReportHandlers = Record<string, (report: never) => void>;

export abstract class RobotMirror extends Body<MicropythonEvents> {
  readonly commands: ReceivedCommand[] = [];
  /** The first 200: breaches of the link by the service, and exceptions of the robot program. */
  readonly violations: string[] = [];
  readonly inputs = {
    seq: 0,
    acked: 0,
    /** Their numbers. */
    get unacked(): number[] {
      return Array.from({ length: this.seq - this.acked }, (_, index) => this.acked + 1 + index);
    },
  };
  features: readonly string[] = features;
  bootId = '';
  dials = 0;
  welcome: Welcome | null = null;
  screen!: { card: Shown | null; question: Shown | null; readonly covered: boolean };
  bubble!: Bubble | null;
  face!: RobotEvents['face'];
  head!: HeadState;
  leds!: LedState;
  volume!: number;
  own!: OwnState;
  /** Percent; 0: the screen is dark. */
  brightness!: number;
  sounds: PlayedSound[] = [];
  latestReadings: Fields = {};
  #ms = { robot: 0, at: 0 };

  protected constructor() {
    super();
    this.forget();
  }

  get online(): boolean {
    return this.welcome !== null;
  }

  get session(): string | null {
    return this.welcome?.session ?? null;
  }

  get ms(): number {
    return this.#ms.robot + (performance.now() - this.#ms.at);
  }

  get playing(): PlayedSound | null {
    const last = this.sounds.at(-1);
    return last !== undefined && last.done === null ? last : null;
  }

  /** The state after a boot. */
  protected forget(): void {
    this.welcome = null;
    this.inputs.seq = 0;
    this.inputs.acked = 0;
    this.screen = {
      card: null,
      question: null,
      get covered() {
        return this.card !== null || this.question !== null;
      },
    };
    this.screenMs = -Infinity;
    this.bubble = null;
    this.face = { emotion: 'neutral', view: 'face' };
    this.head = { yaw: 0, pitch: 45, moving: false };
    this.leds = { pixels: Array.from({ length: 12 }, () => '#000000'), effect: null };
    this.volume = 50;
    this.brightness = 80;
    this.own = { brightness: 80, screenOn: true, powerLed: true, irSent: [], stickers: new Map() };
  }

  protected take({ e: name, ...report }: Fields): void {
    const take = (this.#reports as ReportHandlers)[name as string];
    take?.(report as never);
    this.emit('change', undefined);
  }

  protected violation(what: string): void {
    if (this.violations.length < violationsKept) this.violations.push(what);
    this.emit('violation', what);
  }

  readonly #reports = {
    started: (report: { bootId: string; features: string[] }) => {
      this.bootId = report.bootId;
      this.features = report.features;
    },
    session: (report: { ms: number; dials: number; welcome: Welcome }) => {
      this.#ms = { robot: report.ms, at: performance.now() };
      this.dials = report.dials;
      this.welcome = report.welcome;
      this.emit('session', report.welcome);
    },
    closed: (report: MicropythonEvents['closed']) => {
      this.welcome = null;
      this.emit('closed', report);
    },
    command: (report: Pick<ReceivedCommand, 'id' | 'name' | 'args' | 'ttlMs' | 'receivedMs'>) => {
      const command: ReceivedCommand = { ...report, repeats: 0, outcome: 'waiting', ack: null };
      this.commands.push(command);
      if (this.commands.length > commandsKept) this.commands.shift();
      this.emit('command', command);
    },
    repeat: ({ id }: { id: string }) => {
      const command = this.#command(id);
      if (command !== undefined) command.repeats += 1;
    },
    settled: ({ id, outcome, ack }: Pick<ReceivedCommand, 'id' | 'outcome' | 'ack'>) => {
      const command = this.#command(id);
      if (command === undefined) return;
      Object.assign(command, { outcome, ack });
      const refused = ack !== null && !ack.ok && !ack.error.startsWith('injected fault');
      if (refused && (ack.code === 'bad_args' || ack.code === 'unknown')) this.violation(`${command.name} ${id}: ${ack.error}`);
      this.noteScreen(command);
      this.emit('settled', command);
      if (ack !== null) this.emit('ack', ack);
    },
    picture: ({ layer, file, ...report }: Omit<Shown, 'picture'> & { layer: Layer; file: string }) => {
      const shown: Shown = { ...report, picture: takeFile(file) };
      this.screen[layer] = shown;
      this.emit('picture', { layer, ...shown });
    },
    clear: (report: RobotEvents['clear']) => {
      this.screen[report.layer] = null;
      this.emit('clear', report);
    },
    face: (report: RobotEvents['face']) => {
      this.face = report;
      this.emit('face', report);
    },
    bubble: ({ text, seconds, file, format }: { text: string | null; seconds: number; file?: string | null; format?: string | null }) => {
      const bytes = file === undefined || file === null ? null : takeFile(file);
      const picture = bytes === null ? null : { format: format ?? '', bytes: bytes.byteLength, picture: bytes };
      this.bubble = text === null ? null : { text, seconds, picture };
      this.emit('bubble', this.bubble);
    },
    head: (report: RobotEvents['head']) => {
      this.head = { yaw: report.yaw, pitch: report.pitch, moving: report.moving };
      this.emit('head', report);
    },
    leds: (report: LedState) => {
      this.leds = report;
      this.emit('leds', report);
    },
    volume: ({ pct }: { pct: number }) => {
      this.volume = pct;
    },
    sound: (report: ConstructorParameters<typeof PlayedSound>[0]) => {
      this.sounds.push(new PlayedSound(report));
      if (this.sounds.length > soundsKept) this.sounds.shift();
    },
    begun: ({ stream, file }: { stream: number; file: string }) => {
      const sound = this.#sound(stream);
      if (sound === undefined) return;
      sound.begun(file);
      this.emit('sound', sound);
    },
    flow: ({ stream, ...report }: { stream: number } & Parameters<PlayedSound['report']>[0]) => this.#sound(stream)?.report(report),
    playDone: (report: { stream: number; id: string; reason: PlayEnd }) => {
      this.#sound(report.stream)?.ended(report.reason);
      this.emit('playDone', report);
    },
    input: (report: Input) => this.emit('input', report),
    acked: ({ seq }: { seq: number }) => {
      this.inputs.acked = Math.max(this.inputs.acked, seq);
    },
    sensors: ({ values }: { values: Fields }) => {
      this.latestReadings = { ...this.latestReadings, ...values };
    },
    own: ({ irSent, ...report }: Partial<OwnState> & { irSent?: OwnState['irSent'][number] }) => {
      Object.assign(this.own, report);
      if (irSent !== undefined) this.own.irSent.push(irSent);
    },
    light: ({ pct }: { pct: number }) => {
      this.brightness = pct;
    },
    stickers: (report: {
      stickers: Omit<NonNullable<ReturnType<OwnState['stickers']['get']>>, 'picture'>[];
      name: string | null;
      file: string | null;
      format: string;
    }) => {
      const fresh = report.file === null ? null : takeFile(report.file);
      const before = this.own.stickers;
      this.own.stickers = new Map(
        report.stickers.map((sticker) => {
          const isNew = fresh !== null && sticker.id === report.name;
          const picture = isNew ? { format: report.format, bytes: fresh.byteLength, picture: fresh } : (before.get(sticker.id)?.picture ?? null);
          return [sticker.id, { ...sticker, picture }];
        }),
      );
    },
    violation: ({ what }: { what: string }) => this.violation(what),
    heap: (report: MicropythonEvents['heap']) => this.emit('heap', report),
    longest: (report: MicropythonEvents['longest']) => this.emit('longest', report),
    frame: ({ file }: { file: string }) => this.emit('frame', { rgba: rgbaOf(takeFile(file)) }),
    clock: (report: MicropythonEvents['clock']) => this.emit('clock', report),
    code: (report: MicropythonEvents['code']) => this.emit('code', report),
    paired: (report: MicropythonEvents['paired']) => this.emit('paired', report),
    notice: (report: MicropythonEvents['notice']) => this.emit('notice', report),
  };

  #command(id: string): ReceivedCommand | undefined {
    return this.commands.findLast((command) => command.id === id);
  }

  #sound(stream: number): PlayedSound | undefined {
    return this.sounds.findLast((sound) => sound.stream === stream);
  }
}

/** What the robot program has told about itself, in the virtual robot's terms. */
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

export interface MicropythonEvents extends Omit<RobotEvents, 'sound' | 'samples'> {
  /** At its first sample. */
  sound: PlayedSound;
  /** The most processor time that one turn of the program's loop has taken since its start, ms. */
  longest: { ms: number };
  /** What is free after a collection of garbage. */
  heap: { freeKb: number };
  /** What the robot draws by itself. */
  frame: { rgba: Uint8ClampedArray };
  code: { code: string; uri: string };
  /** It has set its clock, Unix time in s. */
  clock: { s: number };
  paired: { robot: string };
}

const commandsKept = 1000;
const soundsKept = 8;
const violationsKept = 200;
const features = ['screen', 'touch', 'face', 'bubble', 'head', 'leds', 'speaker', 'move_duration', 'open_sound'];

type Told = Record<string, (told: never) => void>;

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
    this.bubble = null;
    this.face = { emotion: 'neutral', view: 'face' };
    this.head = { yaw: 0, pitch: 10, moving: false };
    this.leds = { pixels: Array.from({ length: 12 }, () => '#000000'), effect: null };
    this.volume = 50;
    this.own = { brightness: 80, screenOn: true, powerLed: true, irSent: [], stickers: new Map() };
  }

  protected take({ e: name, ...told }: Fields): void {
    const take = (this.#told as Told)[name as string];
    take?.(told as never);
    this.emit('change', undefined);
  }

  protected violation(what: string): void {
    if (this.violations.length < violationsKept) this.violations.push(what);
    this.emit('violation', what);
  }

  readonly #told = {
    started: (told: { bootId: string; features: string[] }) => {
      this.bootId = told.bootId;
      this.features = told.features;
    },
    session: (told: { ms: number; dials: number; welcome: Welcome }) => {
      this.#ms = { robot: told.ms, at: performance.now() };
      this.dials = told.dials;
      this.welcome = told.welcome;
      this.emit('session', told.welcome);
    },
    closed: (told: RobotEvents['closed']) => {
      this.welcome = null;
      this.emit('closed', told);
    },
    command: (told: Pick<ReceivedCommand, 'id' | 'name' | 'args' | 'ttlMs' | 'receivedMs'>) => {
      const command: ReceivedCommand = { ...told, repeats: 0, outcome: 'waiting', ack: null };
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
      this.emit('settled', command);
      if (ack !== null) this.emit('ack', ack);
    },
    picture: ({ layer, file, ...told }: Omit<Shown, 'picture'> & { layer: Layer; file: string }) => {
      const shown: Shown = { ...told, picture: takeFile(file) };
      this.screen[layer] = shown;
      this.emit('picture', { layer, ...shown });
    },
    clear: (told: RobotEvents['clear']) => {
      this.screen[told.layer] = null;
      this.emit('clear', told);
    },
    face: (told: RobotEvents['face']) => {
      this.face = told;
      this.emit('face', told);
    },
    bubble: ({ text, seconds, file, format }: { text: string | null; seconds: number; file?: string | null; format?: string | null }) => {
      const bytes = file === undefined || file === null ? null : takeFile(file);
      const picture = bytes === null ? null : { format: format ?? '', bytes: bytes.byteLength, picture: bytes };
      this.bubble = text === null ? null : { text, seconds, picture };
      this.emit('bubble', this.bubble);
    },
    head: (told: RobotEvents['head']) => {
      this.head = { yaw: told.yaw, pitch: told.pitch, moving: told.moving };
      this.emit('head', told);
    },
    leds: (told: LedState) => {
      this.leds = told;
      this.emit('leds', told);
    },
    volume: ({ pct }: { pct: number }) => {
      this.volume = pct;
    },
    sound: (told: ConstructorParameters<typeof PlayedSound>[0]) => {
      this.sounds.push(new PlayedSound(told));
      if (this.sounds.length > soundsKept) this.sounds.shift();
    },
    begun: ({ stream, file }: { stream: number; file: string }) => {
      const sound = this.#sound(stream);
      if (sound === undefined) return;
      sound.begun(file);
      this.emit('sound', sound);
    },
    flow: ({ stream, ...report }: { stream: number } & Parameters<PlayedSound['report']>[0]) => this.#sound(stream)?.report(report),
    playDone: (told: { stream: number; id: string; reason: PlayEnd }) => {
      this.#sound(told.stream)?.ended(told.reason);
      this.emit('playDone', told);
    },
    input: (told: Input) => this.emit('input', told),
    acked: ({ seq }: { seq: number }) => {
      this.inputs.acked = Math.max(this.inputs.acked, seq);
    },
    sensors: ({ values }: { values: Fields }) => {
      this.latestReadings = { ...this.latestReadings, ...values };
    },
    own: ({ irSent, ...told }: Partial<OwnState> & { irSent?: OwnState['irSent'][number] }) => {
      Object.assign(this.own, told);
      if (irSent !== undefined) this.own.irSent.push(irSent);
    },
    stickers: (told: {
      stickers: Omit<NonNullable<ReturnType<OwnState['stickers']['get']>>, 'picture'>[];
      name: string | null;
      file: string | null;
      format: string;
    }) => {
      const fresh = told.file === null ? null : takeFile(told.file);
      const before = this.own.stickers;
      this.own.stickers = new Map(
        told.stickers.map((sticker) => {
          const isNew = fresh !== null && sticker.id === told.name;
          const picture = isNew ? { format: told.format, bytes: fresh.byteLength, picture: fresh } : (before.get(sticker.id)?.picture ?? null);
          return [sticker.id, { ...sticker, picture }];
        }),
      );
    },
    violation: ({ what }: { what: string }) => this.violation(what),
    heap: (told: MicropythonEvents['heap']) => this.emit('heap', told),
    longest: (told: MicropythonEvents['longest']) => this.emit('longest', told),
    frame: ({ file }: { file: string }) => this.emit('frame', { rgba: rgbaOf(takeFile(file)) }),
    clock: (told: MicropythonEvents['clock']) => this.emit('clock', told),
    code: (told: MicropythonEvents['code']) => this.emit('code', told),
    paired: (told: MicropythonEvents['paired']) => this.emit('paired', told),
  };

  #command(id: string): ReceivedCommand | undefined {
    return this.commands.findLast((command) => command.id === id);
  }

  #sound(stream: number): PlayedSound | undefined {
    return this.sounds.findLast((sound) => sound.stream === stream);
  }
}

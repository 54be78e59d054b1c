import { isQuietAt, type Hello, type RobotSettings, type SoundRef } from '@perch/schema';
import type { Playing } from '@perch/store';
import { GrowingSoundStream, SoundStream, type OutgoingSound } from '../media/sound-stream.js';
import { partBytesMax, type Command, type CommandFollower, type CommandOutcome, type Commands, type SoundStart } from './commands.js';
import type { LinkContext } from './context.js';
import type { Lease } from './lease.js';
import type { RobotSocket } from './robot-socket.js';

/** Time an `audio.stop` sent by the service itself may be queued, ms. */
const stopWithinMs = 5000;

/** Reason why a sound ended; `gone`: Redis no longer had its bytes, or the speech engine failed. */
type SoundEnd = 'end' | 'stopped' | 'underrun' | 'replaced' | 'refused' | 'gone';

/** The speaker of a robot: one sound plays or is about to, and a later one replaces it. */
export class Speaker implements CommandFollower {
  readonly limits: SoundLimits;
  readonly #lease: Lease;
  readonly #context: LinkContext;
  readonly #commands: Commands;
  readonly #socket: RobotSocket;
  readonly #partBytesMax: number;
  readonly #bufferBytes: number;
  #current: { stream: OutgoingSound; command: Command | null } | null = null;

  constructor(lease: Lease, context: LinkContext, commands: Commands, socket: RobotSocket, { audio }: Hello, settings: RobotSettings) {
    this.limits = new SoundLimits(settings);
    this.#lease = lease;
    this.#context = context;
    this.#commands = commands;
    this.#socket = socket;
    this.#partBytesMax = partBytesMax(audio);
    this.#bufferBytes = audio?.buffer_bytes ?? 0;
  }

  get isBusy(): boolean {
    return this.#current !== null;
  }

  get isPlaying(): boolean {
    return this.#current !== null && this.#current.command === null;
  }

  written(command: Command, written: SoundStart | null): void {
    if (command.name === 'audio.stop') this.stop();
    if (command.sound === undefined || written === null) return;
    const before = this.#current;
    const { id, stream, firstPiece } = written;
    const next = this.#play(command.sound, stream, command);
    next.begin(firstPiece, this.#bufferBytes);
    this.#lease.savePlaying({ id, stream, sound: command.sound });
    if (before === null) return;
    before.stream.stop();
    this.#ended('replaced');
    if (before.command !== null) this.#commands.settle(before.command, { kind: 'replaced' });
  }

  /** A later sound no longer counts as replacing it before it started. */
  acked(command: Command): void {
    if (this.#current?.command === command) this.#current.command = null;
  }

  /** A sound that the robot refused must not start later. */
  ended(command: Command, { kind }: CommandOutcome): void {
    if (kind !== 'nack' || this.#current?.command !== command) return;
    this.stop();
    this.#ended('refused');
    this.#stopRobot();
  }

  takeOver(playing: { id: string; stream: number }, known: Playing | null): void {
    if (known === null || known.id !== playing.id || known.stream !== playing.stream) return this.#stopRobot();
    this.#play(known.sound, known.stream, null).resume();
  }

  onFlow(stream: number, received: number, free: number): void {
    if (this.#current?.stream.stream === stream) this.#current.stream.onFlow(received, free);
  }

  onDone(stream: number, reason: 'end' | 'stopped' | 'underrun'): void {
    if (this.#current?.stream.stream !== stream) return;
    this.stop();
    this.#ended(reason);
  }

  stop(): void {
    this.#current?.stream.stop();
    this.#current = null;
    this.#commands.soundStream = null;
  }

  #play(sound: SoundRef, stream: number, command: Command | null): OutgoingSound {
    const opened: OutgoingSound = new (sound.growing === true ? GrowingSoundStream : SoundStream)({
      sound,
      stream,
      partBytesMax: this.#partBytesMax,
      socket: this.#socket,
      media: this.#context.media,
      onGone: () => {
        if (this.#current?.stream === opened) this.#gone(sound, this.#current.command);
      },
    });
    this.#current = { stream: opened, command };
    this.#commands.soundStream = stream;
    return opened;
  }

  #gone({ growing }: SoundRef, command: Command | null): void {
    this.stop();
    this.#ended('gone');
    this.#stopRobot();
    if (command === null || growing !== true) return;
    const error = 'The speech engine failed before the robot began to speak. Try again.';
    this.#commands.settle(command, { kind: 'nack', code: 'speech_failed', error, end: 'refused' });
  }

  #stopRobot(): void {
    this.#commands.pushFirst({ name: 'audio.stop', args: {}, expires: this.#lease.now() + stopWithinMs, done: () => {} });
  }

  #ended(reason: SoundEnd): void {
    this.#context.metrics.sounds.inc({ reason });
  }
}

type Args = Record<string, unknown>;

/** Enforces the settings of a robot's owner on what its speaker plays. */
class SoundLimits {
  settings: RobotSettings;
  /** The last volume that a program set in this session; null: none yet. */
  #volume: number | null = null;

  constructor(settings: RobotSettings) {
    this.settings = settings;
  }

  /** @param now Redis time, ms */
  silences(name: string, now: number): boolean {
    return name === 'audio.play' && isQuietAt(this.settings, now);
  }

  /** Returns the arguments to send. A sound without a volume would be played at one that the robot-link may not know, so it gets one. */
  limited(name: string, args: Args): Args {
    const key = name === 'audio.play' ? 'volume' : name === 'audio.volume' ? 'pct' : null;
    if (key === null) return args;
    const wanted = args[key];
    if (typeof wanted === 'number') this.#volume = wanted;
    const { volumeMax } = this.settings;
    return volumeMax === null ? args : { ...args, [key]: Math.min(this.#volume ?? volumeMax, volumeMax) };
  }
}

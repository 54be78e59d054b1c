/** The one sound a robot plays: begun by a command, replaced by the next, gone on with where another instance stopped. */
import type { SoundRef } from '@perch/schema';
import type { Playing } from '@perch/store';
import type { Command } from '../commands/command-queue.js';
import type { MediaCache } from './media-cache.js';
import type { RobotSocket } from '../connection/robot-socket.js';
import { SoundStream } from './sound-stream.js';

/** Why a sound ended; `gone`: its bytes were no longer in Redis. */
export type SoundEnd = 'end' | 'stopped' | 'underrun' | 'replaced' | 'refused' | 'gone';

export interface SpeakerPort {
  readonly socket: RobotSocket;
  readonly media: MediaCache;
  /** Payload of one binary frame. */
  readonly partBytesMax: number;
  /** Of the robot. */
  readonly bufferBytes: number;
  /** A play that never began, because a second sound took its place. */
  soundReplaced(command: Command): void;
  /** Keeps what plays for an instance that takes the robot over. */
  keepPlaying(playing: Playing): void;
  /** Tells the robot to end its sound. */
  stopSound(): void;
  soundEnded(reason: SoundEnd): void;
}

export class Speaker {
  readonly #port: SpeakerPort;
  #current: { stream: SoundStream; command: Command | null } | null = null;

  constructor(port: SpeakerPort) {
    this.#port = port;
  }

  /** The stream that plays, or null. */
  get stream(): number | null {
    return this.#current?.stream.stream ?? null;
  }

  /** Whether the robot plays what it confirmed. */
  get sounds(): boolean {
    return this.#current !== null && this.#current.command === null;
  }

  /** Begins to send, right after its command was written; what played or waited to play is replaced. */
  begin(command: Command, sound: SoundRef, id: string, stream: number, firstPiece: Buffer): void {
    const before = this.#current;
    const next = this.#open(sound, stream);
    this.#current = { stream: next, command };
    next.begin(firstPiece, this.#port.bufferBytes);
    this.#port.keepPlaying({ id, stream, sound });
    if (before === null) return;
    before.stream.stop();
    this.#port.soundEnded('replaced');
    if (before.command !== null) this.#port.soundReplaced(before.command);
  }

  /** The robot confirmed: it sounds, and what comes now no longer replaces it before it began. */
  began(command: Command): void {
    if (this.#current?.command === command) this.#current.command = null;
  }

  /** The robot refused it, or did not confirm in time: then it must not begin later. */
  refused(command: Command): void {
    if (this.#current?.command !== command) return;
    this.stop();
    this.#port.soundEnded('refused');
    this.#port.stopSound();
  }

  /** What the robot said in its hello that it plays, and what Redis knows of it. */
  takeOver(playing: { id: string; stream: number }, known: Playing | null): void {
    if (known === null || known.id !== playing.id || known.stream !== playing.stream) return this.#port.stopSound();
    const stream = this.#open(known.sound, known.stream);
    stream.resume();
    this.#current = { stream, command: null };
  }

  onFlow(stream: number, received: number, free: number): void {
    if (this.#current?.stream.stream === stream) this.#current.stream.onFlow(received, free);
  }

  onDone(stream: number, reason: 'end' | 'stopped' | 'underrun'): void {
    if (this.#current?.stream.stream !== stream) return;
    this.#current.stream.stop();
    this.#current = null;
    this.#port.soundEnded(reason);
  }

  /** The robot was told to stop, or its session ended: nothing more is sent. */
  stop(): void {
    this.#current?.stream.stop();
    this.#current = null;
  }

  #open(sound: SoundRef, stream: number): SoundStream {
    const opened = new SoundStream({
      sound,
      stream,
      partBytesMax: this.#port.partBytesMax,
      socket: this.#port.socket,
      media: this.#port.media,
      onGone: () => {
        if (this.#current?.stream !== opened) return;
        this.stop();
        this.#port.soundEnded('gone');
        this.#port.stopSound();
      },
    });
    return opened;
  }
}

import type { SoundRef } from '@perch/schema';
import type { Playing } from '@perch/store';
import type { Command } from '../commands/command.js';
import type { MediaCache } from './media-cache.js';
import type { RobotSocket } from '../connection/robot-socket.js';
import { GrowingSoundStream, type OutgoingSound, SoundStream } from './sound-stream.js';

/** Reason why a sound ended; `gone`: Redis no longer had its bytes, or the speech engine failed. */
export type SoundEnd = 'end' | 'stopped' | 'underrun' | 'replaced' | 'refused' | 'gone';

export interface SpeakerPort {
  readonly socket: RobotSocket;
  readonly media: MediaCache;
  readonly partBytesMax: number;
  readonly bufferBytes: number;
  soundReplaced(command: Command): void;
  soundFailed(command: Command): void;
  savePlaying(playing: Playing): void;
  stopSound(): void;
  soundEnded(reason: SoundEnd): void;
}

export class Speaker {
  readonly #port: SpeakerPort;
  #current: { stream: OutgoingSound; command: Command | null } | null = null;

  constructor(port: SpeakerPort) {
    this.#port = port;
  }

  get stream(): number | null {
    return this.#current?.stream.stream ?? null;
  }

  get isPlaying(): boolean {
    return this.#current !== null && this.#current.command === null;
  }

  begin(command: Command, sound: SoundRef, id: string, stream: number, firstPiece: Buffer): void {
    const before = this.#current;
    const next = this.#open(sound, stream);
    this.#current = { stream: next, command };
    next.begin(firstPiece, this.#port.bufferBytes);
    this.#port.savePlaying({ id, stream, sound });
    if (before === null) return;
    before.stream.stop();
    this.#port.soundEnded('replaced');
    if (before.command !== null) this.#port.soundReplaced(before.command);
  }

  /** A later sound no longer counts as replacing it before it started. */
  confirmed(command: Command): void {
    if (this.#current?.command === command) this.#current.command = null;
  }

  /** The sound must not start later. */
  rejected(command: Command): void {
    if (this.#current?.command !== command) return;
    this.stop();
    this.#port.soundEnded('refused');
    this.#port.stopSound();
  }

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

  stop(): void {
    this.#current?.stream.stop();
    this.#current = null;
  }

  #open(sound: SoundRef, stream: number): OutgoingSound {
    const opened: OutgoingSound = new (sound.growing === true ? GrowingSoundStream : SoundStream)({
      sound,
      stream,
      partBytesMax: this.#port.partBytesMax,
      socket: this.#port.socket,
      media: this.#port.media,
      onGone: () => {
        if (this.#current?.stream !== opened) return;
        const { command } = this.#current;
        this.stop();
        this.#port.soundEnded('gone');
        this.#port.stopSound();
        if (command !== null && sound.growing === true) this.#port.soundFailed(command);
      },
    });
    return opened;
  }
}

/** The sound that a robot plays: started by a command, replaced by the next one, continued after another instance's session. */
import type { SoundRef } from '@perch/schema';
import type { Playing } from '@perch/store';
import type { Command } from '../commands/command.js';
import type { MediaCache } from './media-cache.js';
import type { RobotSocket } from '../connection/robot-socket.js';
import { SoundStream } from './sound-stream.js';

/** Reason why a sound ended; `gone`: Redis no longer had its bytes. */
export type SoundEnd = 'end' | 'stopped' | 'underrun' | 'replaced' | 'refused' | 'gone';

export interface SpeakerPort {
  readonly socket: RobotSocket;
  readonly media: MediaCache;
  readonly partBytesMax: number;
  readonly bufferBytes: number;
  /** Called for a command whose sound was replaced by a second one before it started. */
  soundReplaced(command: Command): void;
  /** Saves the sound for an instance that takes the robot over. */
  savePlaying(playing: Playing): void;
  stopSound(): void;
  soundEnded(reason: SoundEnd): void;
}

export class Speaker {
  readonly #port: SpeakerPort;
  #current: { stream: SoundStream; command: Command | null } | null = null;

  constructor(port: SpeakerPort) {
    this.#port = port;
  }

  get stream(): number | null {
    return this.#current?.stream.stream ?? null;
  }

  /** Whether the robot has confirmed the current sound. */
  get isPlaying(): boolean {
    return this.#current !== null && this.#current.command === null;
  }

  /** Starts to send a sound right after its command was written; replaces a sound that plays or is about to. */
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

  /** Notes that the robot confirmed a sound: a later sound no longer counts as replacing it before it started. */
  confirmed(command: Command): void {
    if (this.#current?.command === command) this.#current.command = null;
  }

  /** Stops a sound that the robot refused or did not confirm in time, so that it does not start later. */
  rejected(command: Command): void {
    if (this.#current?.command !== command) return;
    this.stop();
    this.#port.soundEnded('refused');
    this.#port.stopSound();
  }

  /** Continues the sound that the robot's hello names if Redis knows it, else stops it. */
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

  /** Stops sending, because the robot got a stop command or the session ended. */
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

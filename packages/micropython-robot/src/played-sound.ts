import { readFileSync } from 'node:fs';
import type { PlayEnd } from '@perch/virtual-robot';
import { takeFile } from './robot-process.js';

/** A sound as the robot program reports it, about five times a second. */
export class PlayedSound {
  readonly stream: number;
  readonly id: string;
  readonly rate: number;
  /** Infinity until the last part of a sound whose length was not announced. */
  bytes: number;
  received = 0;
  started = false;
  gaps = 0;
  done: PlayEnd | null = null;
  /** Played by the last report. */
  playedMs = 0;
  #file: string | null = null;
  #pcm: Uint8Array = new Uint8Array();

  constructor(sound: { stream: number; id: string; rate: number; bytes: number | null }) {
    this.stream = sound.stream;
    this.id = sound.id;
    this.rate = sound.rate;
    this.bytes = sound.bytes ?? Infinity;
  }

  /** The samples that were played so far. */
  get pcm(): Uint8Array {
    return this.done === null && this.#file !== null ? readFileSync(this.#file) : this.#pcm;
  }

  begun(file: string): void {
    this.started = true;
    this.#file = file;
  }

  report({ received, bytes, gaps, playedMs }: { received: number; bytes: number | null; gaps: number; playedMs: number }): void {
    Object.assign(this, { received, bytes: bytes ?? Infinity, gaps, playedMs });
  }

  ended(reason: PlayEnd): void {
    this.done = reason;
    this.#pcm = takeFile(this.#file);
  }
}

/** Plays one sound at a time from a small buffer in real time, and grants credit as it plays. */

import type { Clock, Timers } from '../clock.js';
import type { Sink } from './incoming-media.js';

export type PlayEnd = 'end' | 'stopped' | 'underrun';
export interface SpeakerListener {
  started(sound: Sound): void;
  received(sound: Sound): void;
  /** @returns whether the report was sent: only then does the service have the credit */
  flow(report: { stream: number; received: number; free: number; played_ms: number }): boolean;
  done(sound: Sound, reason: PlayEnd): void;
  violation(what: string): void;
}

const flowMs = 200;
const bytesPerSample = 2;
/** A part that is late by up to this time interrupts the sound; a longer gap ends it. */
const gapMs = 100;
const pcmKeptMax = 2_000_000;
const soundsKept = 8;

export class Sound implements Sink {
  readonly kind = 'audio';
  readonly stream: number;
  readonly id: string;
  readonly rate: number;
  /** Infinity until the last part of a sound whose length was not announced. */
  bytes: number;
  received = 0;
  started = false;
  gaps = 0;
  done: PlayEnd | null = null;
  /** Resolves with `begun` at the first sample, or with the reason why there will be none. */
  readonly begun: Promise<'begun' | PlayEnd>;
  settleBegun!: (how: 'begun' | PlayEnd) => void;
  readonly #speaker: Speaker;
  readonly #chunks: Uint8Array[] = [];
  /** By the last flow report. */
  credit: number;
  startedAt = 0;

  constructor(speaker: Speaker, announced: { stream: number; id: string; rate: number; bytes: number; bufferBytes: number }) {
    this.#speaker = speaker;
    this.stream = announced.stream;
    this.id = announced.id;
    this.rate = announced.rate;
    this.bytes = announced.bytes;
    this.credit = announced.bufferBytes;
    this.begun = new Promise((resolve) => (this.settleBegun = resolve));
  }

  /** The received samples, s16le mono, up to 2 MB. */
  get pcm(): Uint8Array {
    return this.pcmFrom(0);
  }

  pcmFrom(from: number): Uint8Array {
    const parts: Uint8Array[] = [];
    let end = 0;
    for (const chunk of this.#chunks) {
      const skipped = Math.max(0, from - end);
      end += chunk.byteLength;
      if (skipped < chunk.byteLength) parts.push(chunk.subarray(skipped));
    }
    const whole = new Uint8Array(Math.max(0, end - from));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.byteLength;
    }
    return whole;
  }

  get playedMs(): number {
    return this.started ? this.#speaker.playedMs(this) : 0;
  }

  take(payload: Uint8Array): void {
    if (this.received < pcmKeptMax) this.#chunks.push(payload.slice());
    this.received += payload.byteLength;
    this.#speaker.arrived(this);
    this.#speaker.received(this);
  }

  broken(): void {
    this.#speaker.end(this, 'underrun');
  }
}

export class Speaker {
  /** Percent. */
  volume = 50;
  readonly sounds: Sound[] = [];
  readonly #bufferBytes: number;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #listener: SpeakerListener;
  #current: Sound | null = null;
  #tick: () => void = () => undefined;
  #gapSince: number | null = null;

  constructor(bufferBytes: number, timers: Timers, listener: SpeakerListener) {
    this.#bufferBytes = bufferBytes;
    this.#clock = timers.clock;
    this.#timers = timers;
    this.#listener = listener;
  }

  get playing(): Sound | null {
    return this.#current;
  }

  announced(sound: { stream: number; id: string; rate: number; bytes: number }): Sound {
    return new Sound(this, { ...sound, bufferBytes: this.#bufferBytes });
  }

  play(sound: Sound): void {
    if (sound.done) return;
    if (this.#current) this.end(this.#current, 'stopped');
    this.#current = sound;
    this.sounds.push(sound);
    if (this.sounds.length > soundsKept) this.sounds.shift();
    this.arrived(sound);
  }

  stop(): void {
    if (this.#current) this.end(this.#current, 'stopped');
  }

  received(sound: Sound): void {
    this.#listener.received(sound);
  }

  end(sound: Sound, reason: PlayEnd): void {
    if (sound.done) return;
    sound.done = reason;
    sound.settleBegun(reason);
    if (this.#current === sound) {
      this.#tick();
      this.#current = null;
      this.#gapSince = null;
    }
    this.#listener.done(sound, reason);
  }

  arrived(sound: Sound): void {
    if (sound.received > sound.credit) {
      this.#listener.violation(`stream ${sound.stream}: ${sound.received} bytes sent, the robot had given credit up to ${sound.credit}`);
      sound.credit = sound.received;
    }
    if (this.#current !== sound) return;
    const now = this.#clock.now();
    if (!sound.started) {
      if (this.#bufferedMs(sound) < 1000 && sound.received < sound.bytes) return;
      sound.started = true;
      sound.startedAt = now;
      sound.settleBegun('begun');
      this.#listener.started(sound);
      if (!sound.done) this.report();
    } else if (this.#gapSince !== null) {
      sound.gaps += 1;
      sound.startedAt += now - this.#gapSince;
      this.#gapSince = null;
      this.#schedule(sound);
    }
  }

  playedMs(sound: Sound): number {
    const until = this.#gapSince !== null && this.#current === sound ? this.#gapSince : this.#clock.now();
    return Math.min(until - sound.startedAt, this.#bufferedMs(sound));
  }

  /** As it plays, and after a reconnect. */
  report(): void {
    const sound = this.#current;
    if (!sound) return;
    const playedMs = sound.playedMs;
    const playedBytes = Math.min(sound.received, Math.floor((playedMs * sound.rate) / 1000) * bytesPerSample);
    const free = this.#bufferBytes - (sound.received - playedBytes);
    const sent = this.#listener.flow({ stream: sound.stream, received: sound.received, free: Math.max(0, free), played_ms: Math.round(playedMs) });
    if (sent) sound.credit = Math.max(sound.credit, sound.received + free);
    if (sound.started) this.#schedule(sound);
  }

  #schedule(sound: Sound): void {
    this.#tick();
    const dryInMs = this.#bufferedMs(sound) - (this.#clock.now() - sound.startedAt);
    this.#tick = this.#timers.after(Math.min(flowMs, dryInMs), () => {
      const dryAt = sound.startedAt + this.#bufferedMs(sound);
      if (this.#clock.now() < dryAt) return this.report();
      if (sound.received === sound.bytes) return this.end(sound, 'end');
      this.#gapSince = dryAt;
      this.report();
      this.#tick();
      this.#tick = this.#timers.after(gapMs, () => this.end(sound, 'underrun'));
    });
  }

  #bufferedMs(sound: Sound): number {
    return (sound.received / bytesPerSample / sound.rate) * 1000;
  }
}

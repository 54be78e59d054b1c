/**
 * Pictures and pieces of sounds read from Redis, kept by bytes: the same picture for many robots is read once,
 * and two reads of the same thing at once are one.
 */
import type { PictureRef, SoundRef } from '@perch/schema';
import { LRUCache } from 'lru-cache';

/** What the cache reads from; `store.media` is one. */
export interface MediaSource {
  read(ref: PictureRef | SoundRef): Promise<Buffer | null>;
  range(ref: PictureRef | SoundRef, offset: number, length: number): Promise<Buffer | null>;
}

/** Sounds are read in pieces of this many bytes: 2 s at 16 kHz. */
export const pieceBytes = 64 * 1024;

const cacheBytesMax = 32 * 1024 * 1024;
/** Media lives for a minute in Redis; here no longer than that, so that a hash never outlives what the gateways believe. */
const ttlMs = 60_000;

export class MediaCache {
  readonly #source: MediaSource;
  readonly #kept = new LRUCache<string, Buffer>({ maxSize: cacheBytesMax, sizeCalculation: (bytes) => bytes.length + 128, ttl: ttlMs });
  /** Reads under way; each leaves when it ends. */
  readonly #reading = new Map<string, Promise<Buffer | null>>();

  constructor(source: MediaSource) {
    this.#source = source;
  }

  /** The bytes of a picture; null when they are gone from Redis. @throws {StoreError} */
  picture(ref: PictureRef): Promise<Buffer | null> {
    return this.#obtain(`${ref.account}:${ref.hash}`, () => this.#source.read(ref));
  }

  /** The piece of a sound that begins at `index * pieceBytes`; null when the sound is gone from Redis. @throws {StoreError} */
  piece(ref: SoundRef, index: number): Promise<Buffer | null> {
    const offset = index * pieceBytes;
    return this.#obtain(`${ref.account}:${ref.hash}:${index}`, () => this.#source.range(ref, offset, Math.min(pieceBytes, ref.bytes - offset)));
  }

  async #obtain(key: string, read: () => Promise<Buffer | null>): Promise<Buffer | null> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    let reading = this.#reading.get(key);
    if (reading === undefined) {
      reading = this.#read(key, read);
      this.#reading.set(key, reading);
    }
    return reading;
  }

  async #read(key: string, read: () => Promise<Buffer | null>): Promise<Buffer | null> {
    try {
      const bytes = await read();
      if (bytes !== null) this.#kept.set(key, bytes);
      return bytes;
    } finally {
      this.#reading.delete(key);
    }
  }
}

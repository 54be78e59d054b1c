/**
 * Cache of pictures and pieces of sounds read from Redis, limited by bytes. A picture for many robots is read once; concurrent reads of the same key
 * share one request.
 */
import type { PictureRef, SoundRef } from '@perch/schema';
import { LRUCache } from 'lru-cache';

export interface MediaSource {
  read(ref: PictureRef | SoundRef): Promise<Buffer | null>;
  range(ref: PictureRef | SoundRef, offset: number, length: number): Promise<Buffer | null>;
}

/** Size of the pieces in which sounds are read, bytes: 2 s at 16 kHz. */
export const pieceBytes = 64 * 1024;

const cacheBytesMax = 32 * 1024 * 1024;
/** Lifetime of an entry, as of media in Redis, so that a hash is not available here when gateways consider it expired. */
const ttlMs = 60_000;

export class MediaCache {
  readonly #source: MediaSource;
  readonly #kept = new LRUCache<string, Buffer>({ maxSize: cacheBytesMax, sizeCalculation: (bytes) => bytes.length + 128, ttl: ttlMs });
  readonly #reading = new Map<string, Promise<Buffer | null>>();

  constructor(source: MediaSource) {
    this.#source = source;
  }

  /** Returns the bytes of a picture; null if Redis no longer has them. @throws {StoreError} */
  picture(ref: PictureRef): Promise<Buffer | null> {
    return this.#obtain(`${ref.account}:${ref.hash}`, () => this.#source.read(ref));
  }

  /** Returns the piece of a sound that begins at `index * pieceBytes`; null if Redis no longer has the sound. @throws {StoreError} */
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

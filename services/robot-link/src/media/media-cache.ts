/** Limited by bytes and age. Concurrent reads of the same key share one request. */
import { SingleFlight } from '@perch/runtime';
import type { PictureRef, SoundRef } from '@perch/schema';
import type { SoundPart } from '@perch/store';
import { LRUCache } from 'lru-cache';

export interface MediaSource {
  read(ref: PictureRef | SoundRef): Promise<Buffer | null>;
  range(ref: PictureRef | SoundRef, offset: number, length: number): Promise<Buffer | null>;
  growing(ref: SoundRef, offset: number, length: number): Promise<SoundPart | null>;
}

/** 2 s at 16 kHz. */
export const pieceBytes = 64 * 1024;

const cacheBytesMax = 32 * 1024 * 1024;
/** As of media in Redis, so that a hash is not available here when gateways consider it expired. */
const ttlMs = 60_000;

export class MediaCache {
  readonly #source: MediaSource;
  readonly #kept: LRUCache<string, Buffer>;
  readonly #reads = new SingleFlight<string, Buffer | null>();
  readonly #now: () => number;
  #purgedAt = 0;

  constructor(source: MediaSource, now: () => number = () => performance.now()) {
    this.#source = source;
    this.#now = now;
    this.#kept = new LRUCache({
      maxSize: cacheBytesMax,
      sizeCalculation: (bytes) => bytes.length + 128,
      ttl: ttlMs,
      ttlResolution: 0,
      perf: { now },
    });
  }

  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /** Null: Redis no longer has it. @throws {StoreError} */
  picture(ref: PictureRef): Promise<Buffer | null> {
    return this.#obtain(`${ref.account}:${ref.hash}`, () => this.#source.read(ref));
  }

  /** Returns the piece that begins at `index * pieceBytes`; null if Redis no longer has the sound. @throws {StoreError} */
  piece(ref: SoundRef, index: number): Promise<Buffer | null> {
    const offset = index * pieceBytes;
    return this.#obtain(`${ref.account}:${ref.hash}:${index}`, () => this.#source.range(ref, offset, Math.min(pieceBytes, ref.bytes - offset)));
  }

  /** Returns what there is of a growing sound from `offset` on, up to a piece; null if it failed. Not cached: one robot plays it. @throws {StoreError} */
  growing(ref: SoundRef, offset: number): Promise<SoundPart | null> {
    return this.#source.growing(ref, offset, pieceBytes);
  }

  async firstPiece(ref: SoundRef): Promise<Buffer | null> {
    return ref.growing === true ? ((await this.growing(ref, 0))?.bytes ?? null) : this.piece(ref, 0);
  }

  async #obtain(key: string, read: () => Promise<Buffer | null>): Promise<Buffer | null> {
    return this.#kept.get(key) ?? this.#reads.run(key, () => this.#read(key, read));
  }

  async #read(key: string, read: () => Promise<Buffer | null>): Promise<Buffer | null> {
    const bytes = await read();
    this.#purge();
    if (bytes !== null) this.#kept.set(key, bytes);
    return bytes;
  }

  /** The cache itself removes an expired entry only when it is read again, which pictures of one robot never are: they would fill the cache. */
  #purge(): void {
    if (this.#now() - this.#purgedAt < ttlMs) return;
    this.#purgedAt = this.#now();
    this.#kept.purgeStale();
  }
}

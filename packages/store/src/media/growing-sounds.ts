/** Sounds played while a renderer makes them. Each attempt is a *take* with its own bytes; one not written for 5 s expires, and counts as failed. */
import { randomUUID } from 'node:crypto';
import { sha256 } from '@perch/runtime/plain';
import { limits, type SoundRef } from '@perch/schema';
import { StoreError, guarded } from '../redis/errors.js';
import { accountKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { defaultMediaBounds, MediaQuota, type MediaBounds } from './media-budget.js';

const growingTtlMs = 5000;
const renewEveryMs = 1000;
/** Added to the time that an ended sound plays. */
const playedLateMs = 30_000;
/** 8 s at 16 kHz: reserved ahead, so that few chunks need a reservation. */
const reservedBytes = 256 * 1024;

export interface SoundPart {
  bytes: Buffer;
  ended: boolean;
}

export class GrowingSounds {
  readonly #redis: Connections;
  readonly #quota: MediaQuota;

  constructor(redis: Connections, bounds: MediaBounds = defaultMediaBounds) {
    this.#redis = redis;
    this.#quota = new MediaQuota(redis, bounds);
  }

  async find(account: string, hash: string): Promise<SoundRef | null> {
    const text = await guarded(() => this.#redis.commands.get(accountKeys.soundGrowing(account, hash)));
    return text === null ? null : this.#redis.forms.read<SoundRef>('media', text);
  }

  /** Returns up to `length` bytes from `offset`; null if the sound failed or has expired. @throws {StoreError} */
  async read({ account, hash: take }: Pick<SoundRef, 'account' | 'hash'>, offset: number, length: number): Promise<SoundPart | null> {
    // In this order: a sound that had ended before the bytes were read is complete.
    const [state, bytes] = await guarded(() =>
      Promise.all([
        this.#redis.commands.get(accountKeys.soundTake(account, take)),
        this.#redis.commands.getrangeBuffer(accountKeys.mediaData(account, take), offset, offset + length - 1),
      ]),
    );
    if (state !== 'growing' && state !== 'ended') return null;
    return { bytes, ended: state === 'ended' && bytes.length < length };
  }

  take(account: string, hash: string, rate: number): SoundTake {
    return new SoundTake(this.#redis, this.#quota, account, hash, rate);
  }
}

/** One attempt of a renderer. Nothing is stored before the first `append`. */
export class SoundTake {
  readonly #redis: Connections;
  readonly #quota: MediaQuota;
  readonly #hash: string;
  readonly #ref: SoundRef;
  #bytes = 0;
  #reserved = 0;
  #begun = false;
  #over = false;
  #renewal: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(redis: Connections, quota: MediaQuota, account: string, hash: string, rate: number) {
    this.#redis = redis;
    this.#quota = quota;
    this.#hash = hash;
    const take = sha256(randomUUID());
    this.#ref = { kind: 'sound', account, hash: take, format: 'pcm_s16le', rate, bytes: limits.speak.secondsMax * rate * 2, growing: true };
  }

  /** Whether callers may have got the sound. */
  get begun(): boolean {
    return this.#begun;
  }

  /** @throws {StoreError} full; unavailable, also when the take has expired */
  append(chunk: Buffer): Promise<void> {
    return this.#next(() => this.#append(chunk));
  }

  end(): Promise<void> {
    return this.#finish('ended', Math.ceil((this.#bytes / 2 / this.#ref.rate) * 1000) + playedLateMs);
  }

  /** Robots that play the sound stop it. @throws {StoreError} */
  fail(): Promise<void> {
    return this.#finish('failed', growingTtlMs);
  }

  async #append(chunk: Buffer): Promise<void> {
    if (this.#over) return;
    if (this.#bytes + chunk.length > this.#reserved) {
      this.#reserved = this.#bytes + chunk.length + reservedBytes;
      await this.#quota.reserve(this.#ref.account, this.#entry, this.#reserved, limits.speak.engineMs + growingTtlMs);
    }
    await this.#write(chunk, 'growing', growingTtlMs, !this.#begun);
    this.#bytes += chunk.length;
    this.#begun = true;
    // An engine may be silent for longer than the take lives.
    this.#renewal ??= setInterval(() => void this.append(Buffer.alloc(0)).catch(() => {}), renewEveryMs);
  }

  async #finish(how: 'ended' | 'failed', ttlMs: number): Promise<void> {
    await this.#next(async () => {
      // The first append, which starts the renewal, has ended by now.
      if (this.#renewal !== null) clearInterval(this.#renewal);
      if (this.#over) return;
      this.#over = true;
      if (!this.#begun) return;
      await this.#write(Buffer.alloc(0), how, ttlMs, false);
      if (how === 'failed') return this.#quota.release(this.#ref.account, this.#entry);
      await this.#quota.reserve(this.#ref.account, this.#entry, this.#bytes, ttlMs);
    });
  }

  async #write(chunk: Buffer, state: 'growing' | 'ended' | 'failed', ttlMs: number, publishes: boolean): Promise<void> {
    const { account, hash: take } = this.#ref;
    const keys = [accountKeys.soundGrowing(account, this.#hash), accountKeys.soundTake(account, take), accountKeys.mediaData(account, take)] as const;
    const channel = publishes ? accountKeys.mediaChannel(account, this.#hash) : '';
    const args = [this.#bytes, chunk, state, ttlMs, JSON.stringify(this.#ref), this.#redis.publishCommand, channel];
    const written = await this.#redis.script('soundAppend', keys, args);
    if (written !== 1) throw new StoreError('unavailable', 'The sound expired while it was being made.');
  }

  /** Writes in the order of the calls. */
  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(work);
    this.#writing = done.catch(() => {});
    return done;
  }

  get #entry(): string {
    return `media:${this.#ref.hash}`;
  }
}

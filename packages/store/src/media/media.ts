/**
 * Finished pictures and sounds, by the hash of their inputs. They live for a minute after their last use, or longer at a caller's request. The bytes
 * of an account and of all accounts are limited (`storage-quota.ts`).
 */
import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ErrorCode, MediaRef, PictureRef, SoundRef, TraceField } from '@perch/schema';
import { guarded } from '../redis/guarded.js';
import { accountKeys } from '../keys.js';
import { defaultMediaBounds, StorageQuota, type MediaBounds } from './storage-quota.js';
import type { MediaUsage } from './media-budget.js';
import type { Connections } from '../redis/connections.js';

/** Minimum lifetime of media, ms. */
export const mediaTtlMs = 60_000;
/** Added whenever a lifetime is set, so that frequently used media are extended twice a minute instead of on every use. */
const slackMs = 30_000;
export const mediaLifeMs = mediaTtlMs + slackMs;
/** Long enough for every caller that waits for the render to read it. */
const failureTtlMs = 5000;

/** A finished picture or sound from a renderer; the store adds account, hash, bytes and crc32. */
export type MadeMedia = (Pick<PictureRef, 'kind' | 'format' | 'w' | 'h'> | Pick<SoundRef, 'kind' | 'format' | 'rate'>) & {
  data: Buffer;
  /** Span of the render that made it, if sampled. */
  trace?: TraceField;
};

export interface RenderFailure {
  /** Id of this failure: a caller that had seen it before its request waits for the next outcome. */
  id: string;
  code: ErrorCode;
  error: string;
  /** An upload had expired: the render may succeed once it is uploaded again. */
  uploadGone: boolean;
  /** sha256 of the upload that is not a picture, with bad_picture. */
  upload?: string;
}

/** `trace`: span of the render that made it, if sampled. */
export type Found = { ref: MediaRef; failure: null; trace?: TraceField } | { ref: null; failure: RenderFailure | null };

export class Media {
  readonly #redis: Connections;
  readonly #quota: StorageQuota;

  constructor(redis: Connections, bounds: MediaBounds = defaultMediaBounds) {
    this.#redis = redis;
    this.#quota = new StorageQuota(redis, bounds);
  }

  /** Returns the bytes of the media and uploads of all accounts, and their maximum. @throws {StoreError} when Redis does not answer */
  usageOfAll(): Promise<MediaUsage> {
    return this.#quota.usageOfAll();
  }

  /**
   * Looks up media with one Redis command.
   * @param ttlMs minimum remaining lifetime of the result
   */
  async find(account: string, hash: string, ttlMs: number): Promise<MediaRef | null> {
    return (await this.look(account, hash, ttlMs)).ref;
  }

  /** Like `find`, and also returns a failure of the last seconds. */
  async look(account: string, hash: string, ttlMs: number): Promise<Found> {
    const keys = [
      accountKeys.media(account, hash),
      accountKeys.mediaData(account, hash),
      accountKeys.ledger(account),
      accountKeys.ledgerBytes(account),
    ] as const;
    const [stored, bytes] = (await this.#redis.script('mediaFind', keys, [ttlMs, ttlMs + slackMs, entryOf(hash)])) as [string?, string?];
    if (stored === undefined) return { ref: null, failure: null };
    const media = this.#redis.forms.read<(MediaRef & { trace?: TraceField }) | { failure: RenderFailure }>('media', stored);
    // Unreadable media are rendered again.
    if (media === null) return { ref: null, failure: null };
    if ('failure' in media) return { ref: null, failure: media.failure };
    if (bytes === 'bytes gone') return { ref: null, failure: null };
    // The script extended the entry in the account's ledger; the budget of all accounts has another tag. If this fails, the budget stops counting
    // these bytes too early.
    if (bytes === 'extended') this.#quota.extendInAll(account, entryOf(hash), ttlMs + slackMs).catch(() => {});
    if (media.trace === undefined) return { ref: media, failure: null };
    const { trace, ...ref } = media;
    return { ref, failure: null, trace };
  }

  /**
   * Stores media and notifies callers that wait for them.
   * @throws {StoreError} full, when the account or all accounts reached their limit; nothing is stored
   */
  async put(account: string, hash: string, made: MadeMedia): Promise<MediaRef> {
    const { data, trace, ...rest } = made;
    const ref: MediaRef =
      rest.kind === 'picture' ? { ...rest, account, hash, bytes: data.length, crc32: crc32(data) } : { ...rest, account, hash, bytes: data.length };
    const lifeMs = mediaLifeMs;
    await this.#quota.reserve(account, entryOf(hash), data.length, lifeMs);
    // The bytes before the reference, which must never refer to nothing.
    await guarded(() => this.#redis.commands.set(accountKeys.mediaData(account, hash), data, 'PX', lifeMs));
    await this.#finish(account, hash, trace === undefined ? ref : { ...ref, trace }, lifeMs, 'done');
    return ref;
  }

  /** Notifies callers that a render failed. Media that exist already stay. */
  async fail(account: string, hash: string, failure: { code: ErrorCode; error: string; uploadGone?: boolean; upload?: string }): Promise<void> {
    await this.#finish(account, hash, { failure: { uploadGone: false, ...failure, id: randomUUID() } }, failureTtlMs, 'failed');
  }

  /** Returns all bytes; null when they have expired. */
  async read(ref: Pick<MediaRef, 'account' | 'hash'>): Promise<Buffer | null> {
    return guarded(() => this.#redis.commands.getBuffer(accountKeys.mediaData(ref.account, ref.hash)));
  }

  /** Returns up to `length` bytes from `offset` on; null when they have expired or there are none at `offset`. */
  async range(ref: Pick<MediaRef, 'account' | 'hash'>, offset: number, length: number): Promise<Buffer | null> {
    const part = await guarded(() => this.#redis.commands.getrangeBuffer(accountKeys.mediaData(ref.account, ref.hash), offset, offset + length - 1));
    return part.length === 0 ? null : part;
  }

  async #finish(
    account: string,
    hash: string,
    stored: (MediaRef & { trace?: TraceField }) | { failure: RenderFailure },
    ttlMs: number,
    how: 'done' | 'failed',
  ): Promise<void> {
    const keys = [accountKeys.media(account, hash), accountKeys.mediaData(account, hash)] as const;
    await this.#redis.script('mediaFinish', keys, [
      JSON.stringify(stored),
      ttlMs,
      how,
      this.#redis.publishCommand,
      accountKeys.mediaChannel(account, hash),
    ]);
  }
}

function entryOf(hash: string): string {
  return `media:${hash}`;
}

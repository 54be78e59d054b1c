/**
 * Finished pictures and sounds, by the hash of what they were made from. They live for a minute after their last use, and longer where a
 * caller asks for it. The bytes of an account and of all accounts are bounded (`ledger.ts`).
 */
import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ErrorCode, MediaRef, PictureRef, SoundRef, TraceField } from '@perch/schema';
import { guarded } from '../redis/guarded.js';
import { accountKeys } from '../keys.js';
import { defaultMediaBounds, StorageQuota, type MediaBounds } from './storage-quota.js';
import type { MediaUsage } from './media-budget.js';
import type { Connections } from '../redis/connections.js';

/** What is made lives at least this long. */
export const mediaTtlMs = 60_000;
/** Given on top whenever a life is set, so that what is used often has it set twice a minute and not at every use. */
const slackMs = 30_000;
/** A picture or sound that nobody asks for again is kept so long. */
export const mediaLifeMs = mediaTtlMs + slackMs;
/** Long enough for everyone who waited for the render to read it. */
const failureTtlMs = 5000;

/** A finished picture or sound as a renderer hands it over; the store adds account, hash, bytes and crc32. */
export type MadeMedia = (Pick<PictureRef, 'kind' | 'format' | 'w' | 'h'> | Pick<SoundRef, 'kind' | 'format' | 'rate'>) & {
  data: Buffer;
  /** Of a sampled render: the span that made it. */
  trace?: TraceField;
};

/** Why a render has no picture. */
export interface RenderFailure {
  /** Of this one failure: a caller that saw it before it asked waits for the next. */
  id: string;
  code: ErrorCode;
  error: string;
  /** An upload was gone: with it uploaded again the render may work. */
  uploadGone: boolean;
  /** sha256 of the upload that is no picture, with bad_picture. */
  upload?: string;
}

/** `trace`: the span of the render that made it, where that was sampled. */
export type Found = { ref: MediaRef; failure: null; trace?: TraceField } | { ref: null; failure: RenderFailure | null };

export class Media {
  readonly #redis: Connections;
  readonly #quota: StorageQuota;

  constructor(redis: Connections, bounds: MediaBounds = defaultMediaBounds) {
    this.#redis = redis;
    this.#quota = new StorageQuota(redis, bounds);
  }

  /** Bytes of the media and uploads of all accounts, and how many there may be. @throws {StoreError} when Redis does not answer */
  usageOfAll(): Promise<MediaUsage> {
    return this.#quota.usageOfAll();
  }

  /**
   * One Redis command.
   * @param ttlMs what is found lives at least this long from now
   */
  async find(account: string, hash: string, ttlMs: number): Promise<MediaRef | null> {
    return (await this.look(account, hash, ttlMs)).ref;
  }

  /** As `find`, and tells of a render that failed in the last seconds. */
  async look(account: string, hash: string, ttlMs: number): Promise<Found> {
    const keys = [
      accountKeys.media(account, hash),
      accountKeys.mediaData(account, hash),
      accountKeys.ledger(account),
      accountKeys.ledgerBytes(account),
    ];
    const [said, bytes] = (await this.#redis.script('mediaFind', keys, [ttlMs, ttlMs + slackMs, entryOf(hash)])) as [string?, string?];
    if (said === undefined) return { ref: null, failure: null };
    const media = this.#redis.forms.read<(MediaRef & { trace?: TraceField }) | { failure: RenderFailure }>('media', said);
    // It is made again.
    if (media === null) return { ref: null, failure: null };
    if ('failure' in media) return { ref: null, failure: media.failure };
    if (bytes === 'bytes gone') return { ref: null, failure: null };
    // The script extended the entry in the account's ledger; the budget of all has another tag. If this fails, the budget stops counting these bytes too early.
    if (bytes === 'extended') this.#quota.extendInAll(account, entryOf(hash), ttlMs + slackMs).catch(() => {});
    if (media.trace === undefined) return { ref: media, failure: null };
    const { trace, ...ref } = media;
    return { ref, failure: null, trace };
  }

  /**
   * Keeps what was made and wakes who waits for it.
   * @throws {StoreError} full, when the account or all accounts reached their bound; nothing is stored
   */
  async put(account: string, hash: string, made: MadeMedia): Promise<MediaRef> {
    const { data, trace, ...rest } = made;
    const ref: MediaRef =
      rest.kind === 'picture' ? { ...rest, account, hash, bytes: data.length, crc32: crc32(data) } : { ...rest, account, hash, bytes: data.length };
    const lifeMs = mediaLifeMs;
    await this.#quota.reserve(account, entryOf(hash), data.length, lifeMs);
    // The bytes first: a reference never leads to nothing.
    await guarded(() => this.#redis.commands.set(accountKeys.mediaData(account, hash), data, 'PX', lifeMs));
    await this.#finish(account, hash, trace === undefined ? ref : { ...ref, trace }, lifeMs, 'done');
    return ref;
  }

  /** Tells who waits for a render that it failed. A picture that is there already stays. */
  async fail(account: string, hash: string, failure: { code: ErrorCode; error: string; uploadGone?: boolean; upload?: string }): Promise<void> {
    await this.#finish(account, hash, { failure: { uploadGone: false, ...failure, id: randomUUID() } }, failureTtlMs, 'failed');
  }

  /** All bytes; null when they are gone. */
  async read(ref: Pick<MediaRef, 'account' | 'hash'>): Promise<Buffer | null> {
    return guarded(() => this.#redis.commands.getBuffer(accountKeys.mediaData(ref.account, ref.hash)));
  }

  /** At most `length` bytes from `offset` on, fewer at the end; null when they are gone or there are none at `offset`. */
  async range(ref: Pick<MediaRef, 'account' | 'hash'>, offset: number, length: number): Promise<Buffer | null> {
    const part = await guarded(() => this.#redis.commands.getrangeBuffer(accountKeys.mediaData(ref.account, ref.hash), offset, offset + length - 1));
    return part.length === 0 ? null : part;
  }

  async #finish(
    account: string,
    hash: string,
    said: (MediaRef & { trace?: TraceField }) | { failure: RenderFailure },
    ttlMs: number,
    how: 'done' | 'failed',
  ): Promise<void> {
    const keys = [accountKeys.media(account, hash), accountKeys.mediaData(account, hash)];
    await this.#redis.script('mediaFinish', keys, [
      JSON.stringify(said),
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

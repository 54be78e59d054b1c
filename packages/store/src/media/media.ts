/** Finished pictures and sounds, by the hash of their inputs, for a minute after their last use or longer. `media-quota.ts` limits their bytes. */
import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ErrorCode, MediaRef, PictureRef, SoundRef, TraceField } from '@perch/schema';
import { guarded } from '../redis/errors.js';
import { accountKeys } from '../redis/keys.js';
import { defaultMediaBounds, MediaQuota, type MediaBounds, type MediaUsage } from './media-budget.js';
import type { Connections } from '../redis/connections.js';

export const mediaTtlMs = 60_000;
/** Frequently used media are thus extended twice a minute instead of on every use. */
const slackMs = 30_000;
export const mediaLifeMs = mediaTtlMs + slackMs;
/** Long enough for every caller that waits for the render to read it. */
const failureTtlMs = 5000;

export type MadeMedia = (Pick<PictureRef, 'kind' | 'format' | 'w' | 'h' | 'notes' | 'page'> | Pick<SoundRef, 'kind' | 'format' | 'rate'>) & {
  data: Buffer;
  trace?: TraceField;
  /** Texts of a picture, for people who do not see it. Kept beside the reference, which goes to robot-links. */
  says?: string;
};

export interface RenderFailure {
  /** A caller that had seen this failure before its request waits for the next outcome. */
  id: string;
  code: ErrorCode;
  error: string;
  /** An upload had expired: the render may succeed once it is uploaded again. */
  uploadGone: boolean;
  field?: string;
  /** With bad_picture: sha256 of the upload. */
  upload?: string;
}

/** Stored with a reference, and no part of it. */
type Beside = Pick<MadeMedia, 'trace' | 'says'>;

export type MediaResult = ({ ref: MediaRef; failure: null } & Beside) | { ref: null; failure: RenderFailure | null };

export class Media {
  readonly #redis: Connections;
  readonly #quota: MediaQuota;

  constructor(redis: Connections, bounds: MediaBounds = defaultMediaBounds) {
    this.#redis = redis;
    this.#quota = new MediaQuota(redis, bounds);
  }

  usageOfAll(): Promise<MediaUsage> {
    return this.#quota.usageOfAll();
  }

  /** Takes one Redis command. @param ttlMs minimum remaining lifetime of the result */
  async find(account: string, hash: string, ttlMs: number): Promise<MediaRef | null> {
    return (await this.findResult(account, hash, ttlMs)).ref;
  }

  /** Also a failure of the last seconds. */
  async findResult(account: string, hash: string, ttlMs: number): Promise<MediaResult> {
    const keys = [
      accountKeys.media(account, hash),
      accountKeys.mediaData(account, hash),
      accountKeys.quota(account),
      accountKeys.quotaBytes(account),
    ] as const;
    const reply = await this.#redis.script('mediaFind', keys, [ttlMs, ttlMs + slackMs, entryOf(hash)]);
    if (reply.length === 0) return { ref: null, failure: null };
    const [stored, bytes] = reply;
    const media = this.#redis.forms.read<(MediaRef & Beside) | { failure: RenderFailure }>('media', stored);
    // Unreadable media are rendered again.
    if (media === null) return { ref: null, failure: null };
    if ('failure' in media) return { ref: null, failure: media.failure };
    if (bytes === 'bytes gone') return { ref: null, failure: null };
    // The script extended the entry in the account's quota only. If this fails, the budget of all accounts stops counting these bytes too early.
    if (bytes === 'extended') this.#quota.extendInAll(account, entryOf(hash), ttlMs + slackMs).catch(() => {});
    return foundResult(media);
  }

  /** Returns what a message on the hash's channel says was stored, if it lives for `ttlMs`; null: read the result. */
  announced(message: string, ttlMs: number): (MediaResult & { failure: null }) | null {
    const [, lifeMs, text] = /^([0-9]+) (.*)$/s.exec(message) ?? [];
    if (text === undefined || Number(lifeMs) < ttlMs) return null;
    const media = this.#redis.forms.read<MediaRef & Beside>('media', text);
    return media === null || typeof media.hash !== 'string' ? null : foundResult(media);
  }

  /** @throws {StoreError} full, when the account or all accounts reached their limit; nothing is stored */
  async put(account: string, hash: string, made: MadeMedia, lifeMs = mediaLifeMs): Promise<MediaRef> {
    const { data, trace, says, ...rest } = made;
    const ref: MediaRef =
      rest.kind === 'picture' ? { ...rest, account, hash, bytes: data.length, crc32: crc32(data) } : { ...rest, account, hash, bytes: data.length };
    await this.#quota.reserve(account, entryOf(hash), data.length, lifeMs);
    const stored = { ...ref, ...(trace !== undefined && { trace }), ...(says !== undefined && { says }) };
    // Sent together: the script stores no reference to bytes that are not there. It may overtake them on a Cluster whose slots move.
    const [, isStored] = await Promise.all([
      guarded(() => this.#redis.commands.set(accountKeys.mediaData(account, hash), data, 'PX', lifeMs)),
      this.#finish(account, hash, stored, lifeMs, 'done'),
    ]);
    if (!isStored) await this.#finish(account, hash, stored, lifeMs, 'done');
    return ref;
  }

  /** Stores a failure and notifies waiting callers. Media that exist already stay. */
  async fail(
    account: string,
    hash: string,
    failure: { code: ErrorCode; error: string; uploadGone?: boolean; upload?: string; field?: string },
  ): Promise<void> {
    await this.#finish(account, hash, { failure: { uploadGone: false, ...failure, id: randomUUID() } }, failureTtlMs, 'failed');
  }

  async read(ref: Pick<MediaRef, 'account' | 'hash'>): Promise<Buffer | null> {
    return guarded(() => this.#redis.commands.getBuffer(accountKeys.mediaData(ref.account, ref.hash)));
  }

  /** @returns null when they have expired or there are none at `offset` */
  async range(ref: Pick<MediaRef, 'account' | 'hash'>, offset: number, length: number): Promise<Buffer | null> {
    const part = await guarded(() => this.#redis.commands.getrangeBuffer(accountKeys.mediaData(ref.account, ref.hash), offset, offset + length - 1));
    return part.length === 0 ? null : part;
  }

  async #finish(
    account: string,
    hash: string,
    stored: (MediaRef & Beside) | { failure: RenderFailure },
    ttlMs: number,
    how: 'done' | 'failed',
  ): Promise<boolean> {
    const keys = [accountKeys.media(account, hash), accountKeys.mediaData(account, hash)] as const;
    const reply = await this.#redis.script('mediaFinish', keys, [
      JSON.stringify(stored),
      ttlMs,
      how,
      this.#redis.publishCommand,
      accountKeys.mediaChannel(account, hash),
    ]);
    return reply === 1;
  }
}

function foundResult({ trace, says, ...ref }: MediaRef & Beside): MediaResult & { failure: null } {
  return { ref, failure: null, ...(trace !== undefined && { trace }), ...(says !== undefined && { says }) };
}

function entryOf(hash: string): string {
  return `media:${hash}`;
}

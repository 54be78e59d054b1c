/** Uploads on their way to the renderer, for up to a minute. Each belongs to one render: the first of two to end would delete the other's bytes. */
import { type RenderJob, isPictureId } from '@perch/schema';
import { guarded } from '../redis/errors.js';
import { accountKeys } from '../redis/keys.js';
import { defaultMediaBounds, MediaQuota, type MediaBounds, overheadBytes } from './media-budget.js';
import type { Connections } from '../redis/connections.js';
import { createHash } from 'node:crypto';

const ttlMs = 60_000;

export type Render = Pick<RenderJob, 'account' | 'hash'>;

export class Uploads {
  readonly #redis: Connections;
  readonly #quota: MediaQuota;

  constructor(redis: Connections, bounds: MediaBounds = defaultMediaBounds) {
    this.#redis = redis;
    this.#quota = new MediaQuota(redis, bounds);
  }

  /** @throws {StoreError} full, when the account or all accounts reached their limit; nothing is stored */
  async put(render: Render, sha: string, bytes: Buffer): Promise<void> {
    await this.#quota.reserve(render.account, entryOf(render, sha), bytes.length, ttlMs);
    await guarded(() => this.#redis.commands.set(keyOf(render, sha), bytes, 'PX', ttlMs));
  }

  /** @returns null when the upload was deleted after its render, or expired after a minute */
  async take(render: Render, sha: string): Promise<Buffer | null> {
    return guarded(() => this.#redis.commands.getBuffer(keyOf(render, sha)));
  }

  async drop(render: Render, sha: string): Promise<void> {
    await guarded(() => this.#redis.commands.unlink(keyOf(render, sha)));
    await this.#quota.release(render.account, entryOf(render, sha));
  }
}

function keyOf({ account, hash }: Render, sha: string): string {
  return accountKeys.upload(account, hash, sha);
}

function entryOf({ hash }: Render, sha: string): string {
  return `upload:${hash}:${sha}`;
}

/** Pictures that an account uploaded to use them by id, kept for a day from the latest upload of the same bytes. They take up to half of the media quota
 * of the account, and count in the budget of all; an upload beyond it removes the account's oldest pictures. */
export const pictureTtlMs = 24 * 60 * 60 * 1000;
const countMax = 1000;
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

interface KeptPicture {
  id: string;
  bytes: number;
  /** Redis time, ms. */
  expiresAt: number;
}

export class UploadedPictures {
  readonly #redis: Connections;
  readonly #quota: MediaQuota;
  readonly #bytesMax: number;

  constructor(redis: Connections, bounds: MediaBounds = defaultMediaBounds) {
    this.#redis = redis;
    this.#quota = new MediaQuota(redis, bounds);
    this.#bytesMax = (bounds.accountMb * 2 ** 20) / 2;
  }

  /** @returns its id @throws {StoreError} full, when the account's media or those of all accounts reached their limit; nothing is stored */
  async put(account: string, bytes: Buffer): Promise<string> {
    const id = pictureIdOf(account, bytes);
    const size = bytes.length + overheadBytes;
    const removed = await this.#redis.script(
      'pictureEnter',
      [accountKeys.pictures(account)],
      [pictureEntry(id, size), size, pictureTtlMs, this.#bytesMax, countMax],
    );
    for (const entry of removed) await this.#remove(account, entry.split(':')[0]!);
    try {
      await this.#quota.reserve(account, quotaEntryOf(id), bytes.length, pictureTtlMs);
    } catch (error) {
      await guarded(() => this.#redis.commands.zrem(accountKeys.pictures(account), pictureEntry(id, size)));
      throw error;
    }
    await guarded(() => this.#redis.commands.set(accountKeys.picture(account, id), bytes, 'PX', pictureTtlMs));
    // Uploads that ran meanwhile may have removed the entry before there was a picture to delete.
    const listed = await guarded(() => this.#redis.commands.zscore(accountKeys.pictures(account), pictureEntry(id, size)));
    if (listed === null) await this.#remove(account, id);
    return id;
  }

  async read(account: string, id: string): Promise<Buffer | null> {
    return isPictureId(id) ? guarded(() => this.#redis.commands.getBuffer(accountKeys.picture(account, id))) : null;
  }

  async has(account: string, id: string): Promise<boolean> {
    return isPictureId(id) && (await guarded(() => this.#redis.commands.exists(accountKeys.picture(account, id)))) === 1;
  }

  /** Returns the account's pictures, the oldest first. One may be missing: it was removed while it was uploaded again. */
  async list(account: string): Promise<KeptPicture[]> {
    const entries = await guarded(() => this.#redis.commands.zrange(accountKeys.pictures(account), '0', '-1', 'WITHSCORES'));
    return entries.flatMap((entry, i) => {
      const [id = '', size] = entry.split(':');
      return i % 2 === 1 ? [] : [{ id, bytes: Number(size) - overheadBytes, expiresAt: Number(entries[i + 1]) }];
    });
  }

  async #remove(account: string, id: string): Promise<void> {
    await guarded(() => this.#redis.commands.unlink(accountKeys.picture(account, id)));
    await this.#quota.release(account, quotaEntryOf(id));
  }
}

/** Another account has another id for the same picture, so that an id tells nobody whether an account has a picture that they know. */
function pictureIdOf(account: string, bytes: Buffer): string {
  const hash = createHash('sha256').update(`${account} `).update(bytes).digest();
  return `p-${Array.from(hash.subarray(0, 20), (byte) => alphabet[byte % 32]).join('')}`;
}

const pictureEntry = (id: string, size: number) => `${id}:${size}`;
const quotaEntryOf = (id: string) => `picture:${id}`;

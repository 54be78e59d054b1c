/**
 * Pictures as programs sent them, on their way to the renderer that draws them: a minute at most, and gone once drawn.
 * They belong to one render: were the same bytes shared by two, the first that is drawn would take them from the other.
 */
import type { RenderJob } from '@perch/schema';
import { guarded } from '../redis/guarded.js';
import { accountKeys } from '../keys.js';
import { defaultMediaBounds, StorageQuota, type MediaBounds } from './storage-quota.js';
import type { Connections } from '../redis/connections.js';

const ttlMs = 60_000;

/** The render that needs the upload: its account and hash. */
export type Render = Pick<RenderJob, 'account' | 'hash'>;

export class Uploads {
  readonly #redis: Connections;
  readonly #quota: StorageQuota;

  constructor(redis: Connections, bounds: MediaBounds = defaultMediaBounds) {
    this.#redis = redis;
    this.#quota = new StorageQuota(redis, bounds);
  }

  /** @throws {StoreError} full, when the account or all accounts reached their bound; nothing is kept */
  async put(render: Render, sha: string, bytes: Buffer): Promise<void> {
    await this.#quota.reserve(render.account, entryOf(render, sha), bytes.length, ttlMs);
    await guarded(() => this.#redis.commands.set(keyOf(render, sha), bytes, 'PX', ttlMs));
  }

  /** @returns null when it is gone: drawn already, or a minute old */
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

/** Uploads on their way to the renderer, for up to a minute. Each belongs to one render: the first of two to end would delete the other's bytes. */
import type { RenderJob } from '@perch/schema';
import { guarded } from '../redis/guarded.js';
import { accountKeys } from '../keys.js';
import { defaultMediaBounds, MediaQuota, type MediaBounds } from './media-quota.js';
import type { Connections } from '../redis/connections.js';

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

/** Bytes of an account's media and uploads, and of all accounts' (`media-budget.ts`). Entries expire with their keys, in case their writer dies. */
import { StoreError } from '../errors.js';
import { accountKeys } from '../keys.js';
import { MediaBudget, type MediaUsage } from './media-budget.js';
import type { Connections } from '../redis/connections.js';

export interface MediaBounds {
  accountMb: number;
  mb: number;
}

export const defaultMediaBounds: MediaBounds = { accountMb: 32, mb: 256 };

/** Bytes of two keys, their reference, and the fields of quota and budget. */
export const overheadBytes = 1024;

export class MediaQuota {
  readonly #redis: Connections;
  readonly #accountMb: number;
  readonly #budget: MediaBudget;

  constructor(redis: Connections, { accountMb, mb }: MediaBounds) {
    this.#redis = redis;
    this.#accountMb = accountMb;
    this.#budget = new MediaBudget(redis, mb * 2 ** 20);
  }

  /**
   * Asks both limits at the same time, on a Cluster at two nodes: a full account takes shared room for as long as one round trip. A repeated `entry` is
   * replaced. @throws {StoreError} full; nothing is charged
   */
  async reserve(account: string, entry: string, bytes: number, ttlMs: number): Promise<void> {
    const size = bytes + overheadBytes;
    const [own, all] = await Promise.allSettled([
      this.#redis.script('quotaReserve', keysOf(account), [entry, size, ttlMs, this.#accountMb * 2 ** 20]),
      this.#budget.reserve(account, entry, size, ttlMs),
    ]);
    if (own.status === 'rejected') throw own.reason;
    if (own.value === 0) {
      if (all.status === 'fulfilled') await this.#budget.release(account, entry);
      throw new StoreError(
        'full',
        `The account's pictures and sounds of the last minute, and the pictures that it uploaded, have reached ${this.#accountMb} MB. Try again in a minute.`,
      );
    }
    if (all.status === 'fulfilled') return;
    if (all.reason instanceof StoreError && all.reason.kind === 'full') await this.#redis.script('quotaRelease', keysOf(account), [entry]);
    throw all.reason;
  }

  async release(account: string, entry: string): Promise<void> {
    await this.#redis.script('quotaRelease', keysOf(account), [entry]);
    await this.#budget.release(account, entry);
  }

  /** Extends the entry in the budget of all accounts only: the script that extends the keys extends the account's own quota. */
  async extendInAll(account: string, entry: string, ttlMs: number): Promise<void> {
    await this.#budget.extend(account, entry, ttlMs);
  }

  usageOfAll(): Promise<MediaUsage> {
    return this.#budget.usage();
  }
}

const keysOf = (account: string) => [accountKeys.quota(account), accountKeys.quotaBytes(account)] as const;

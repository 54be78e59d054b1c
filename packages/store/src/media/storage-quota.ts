/**
 * Counts the bytes of media and uploads in Redis and enforces two limits: each account's own, counted in a ledger beside its keys, and that of all
 * accounts (`media-budget.ts`). An entry expires with the key it stands for, so that a gateway or renderer that dies between writing the two leaves
 * nothing behind for longer.
 */
import { StoreError } from '../errors.js';
import { accountKeys } from '../keys.js';
import { MediaBudget, type MediaUsage } from './media-budget.js';
import type { Connections } from '../redis/connections.js';

export interface MediaBounds {
  /** Maximum of one account, MB. */
  accountMb: number;
  /** Maximum of all accounts, MB. */
  mb: number;
}

export const defaultMediaBounds: MediaBounds = { accountMb: 32, mb: 256 };

/** Bytes of two keys, their reference, and the fields of ledger and budget. */
export const overheadBytes = 1024;

export class StorageQuota {
  readonly #redis: Connections;
  readonly #accountMb: number;
  readonly #budget: MediaBudget;

  constructor(redis: Connections, { accountMb, mb }: MediaBounds) {
    this.#redis = redis;
    this.#accountMb = accountMb;
    this.#budget = new MediaBudget(redis, mb * 2 ** 20);
  }

  /**
   * Reserves bytes. Checks the account's limit first, so that an account at its limit never takes shared room, even briefly.
   * @param entry names the stored value, unique in the account; reserving it again replaces its size and expiry
   * @throws {StoreError} full, naming the limit; nothing is reserved
   */
  async reserve(account: string, entry: string, bytes: number, ttlMs: number): Promise<void> {
    const size = bytes + overheadBytes;
    if ((await this.#redis.script('ledgerReserve', keysOf(account), [entry, size, ttlMs, this.#accountMb * 2 ** 20])) === 0) {
      throw new StoreError('full', `The account's pictures and sounds of the last minute have reached ${this.#accountMb} MB. Try again in a minute.`);
    }
    try {
      await this.#budget.reserve(account, entry, size, ttlMs);
    } catch (error) {
      if (error instanceof StoreError && error.kind === 'full') await this.#redis.script('ledgerRelease', keysOf(account), [entry]);
      throw error;
    }
  }

  async release(account: string, entry: string): Promise<void> {
    await this.#redis.script('ledgerRelease', keysOf(account), [entry]);
    await this.#budget.release(account, entry);
  }

  /** Extends an entry in the budget of all accounts; the script that extended the entry's keys has extended it in the account's ledger. */
  async extendInAll(account: string, entry: string, ttlMs: number): Promise<void> {
    await this.#budget.extend(account, entry, ttlMs);
  }

  usageOfAll(): Promise<MediaUsage> {
    return this.#budget.usage();
  }
}

const keysOf = (account: string) => [accountKeys.ledger(account), accountKeys.ledgerBytes(account)] as const;

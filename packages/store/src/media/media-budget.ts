/**
 * Limits the bytes of all accounts' media and uploads, and reserves a part of them for every account. Each Redis master has its part of
 * `PERCH_MEDIA_MB`, at least 8 MB, so that the largest upload fits: half reserved for fair parts, half shared (`media-budget-reserve.lua` has the
 * rules). When an account's slot moves, its bytes count at the former master until they expire.
 *
 * Guarantee: while n accounts (up to 1,600) have media on a master, an account within a sixteenth of the budget, divided by n, is never refused
 * because of others; and the budget is never exceeded. The account's own quota (`media-quota.ts`) applies as well.
 */
import { MasterCount, numberBeside, numbersOfMasters } from '../redis/cluster-nodes.js';
import { StoreError } from '../redis/errors.js';
import { accountKeys, sharedKeys } from '../redis/keys.js';
import type { ScriptKeys } from '../redis/script-types.generated.js';
import type { Connections } from '../redis/connections.js';

const masterBytesMin = 8 * 2 ** 20;

export interface MediaUsage {
  bytes: number;
  bytesMax: number;
}

export class MediaBudget {
  readonly #redis: Connections;
  readonly #bytes: number;
  readonly #masters: MasterCount;

  constructor(redis: Connections, bytes: number) {
    this.#redis = redis;
    this.#bytes = bytes;
    this.#masters = new MasterCount(redis.commands);
  }

  get masterBytes(): number {
    return Math.max(masterBytesMin, Math.floor(this.#bytes / this.#masters.get()));
  }

  /** @param entry name of the stored value @throws {StoreError} full: above its fair part, and the shared half is used up; nothing is charged */
  async reserve(account: string, entry: string, bytes: number, ttlMs: number): Promise<void> {
    const charged = await this.#redis.script('mediaBudgetReserve', this.#keys(account), [nameOf(account, entry), bytes, ttlMs, this.masterBytes]);
    if (charged === 1) return;
    throw new StoreError(
      'full',
      `The pictures and sounds of the last minute of all accounts have almost reached ${this.#bytes / 2 ** 20} MB, and this account holds its fair part of them. Try again in a minute.`,
    );
  }

  async release(account: string, entry: string): Promise<void> {
    await this.#redis.script('mediaBudgetRelease', this.#keys(account), [nameOf(account, entry)]);
  }

  async extend(account: string, entry: string, ttlMs: number): Promise<void> {
    await this.#redis.script('mediaBudgetExtend', this.#keys(account), [nameOf(account, entry), ttlMs]);
  }

  async usage(): Promise<MediaUsage> {
    const numbers = numbersOfMasters(this.#redis.commands, sharedKeys.mediaBudget);
    const charged = await Promise.all(
      numbers.map((number) => this.#redis.script('mediaBudgetBytes', [sharedKeys.mediaBudget(number), sharedKeys.mediaBudgetBytes(number)], [])),
    );
    return { bytes: charged.reduce((sum, bytes) => sum + Number(bytes), 0), bytesMax: this.masterBytes * numbers.length };
  }

  #keys(account: string): ScriptKeys['mediaBudgetReserve'] {
    // Null if no numbered key was found on the account's master: its media are then charged to the budget of another one.
    const number = numberBeside(this.#redis.commands, accountKeys.quota(account), sharedKeys.mediaBudget) ?? 0;
    return mediaBudgetKeys(number);
  }
}

export function mediaBudgetKeys(number: number): ScriptKeys['mediaBudgetReserve'] {
  const { mediaBudget, mediaBudgetBytes, mediaBudgetReserved, mediaBudgetShared } = sharedKeys;
  return [mediaBudget(number), mediaBudgetBytes(number), mediaBudgetReserved(number), mediaBudgetShared(number)];
}

const nameOf = (account: string, entry: string) => `${account}:${entry}`;

/** Bytes of an account's media and uploads, and of all accounts' (`media-budget.ts`). Entries expire with their keys, in case their writer dies. */
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

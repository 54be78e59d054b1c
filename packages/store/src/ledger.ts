/**
 * Counts the bytes of media and uploads in Redis, per account and in all, and enforces a limit on both.
 * An entry expires with the key it stands for, so that a crash between writing the two leaves nothing behind for longer.
 */
import { StoreError } from './errors.js';
import { accountKeys, sharedKeys } from './keys.js';
import type { Connections } from './redis.js';

export const accountBytesMax = 32 * 2 ** 20;
export const allBytesMax = 256 * 2 ** 20;

/** Two keys, their reference and four ledger fields. */
const overheadBytes = 1024;

export class Ledger {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /**
   * The account's bound is asked first: an account that reached it takes nothing, not even for a moment, of what all share.
   * @param entry names what is stored, once per account; entering it again replaces its size and end
   * @throws {StoreError} full, saying which bound; nothing is entered
   */
  async reserve(account: string, entry: string, bytes: number, ttlMs: number): Promise<void> {
    const size = bytes + overheadBytes;
    if ((await this.#redis.script('ledgerReserve', ofAccount(account), [entry, size, ttlMs, accountBytesMax])) === 0) {
      throw new StoreError(
        'full',
        `The account's pictures and sounds of the last minute have reached ${accountBytesMax / 2 ** 20} MB. Try again in a minute.`,
      );
    }
    if ((await this.#redis.script('ledgerReserve', ofAll(), [inAll(account, entry), size, ttlMs, allBytesMax])) !== 0) return;
    await this.#redis.script('ledgerRelease', ofAccount(account), [entry]);
    throw new StoreError(
      'full',
      `All accounts' pictures and sounds of the last minute have reached ${allBytesMax / 2 ** 20} MB. Try again in a minute.`,
    );
  }

  async release(account: string, entry: string): Promise<void> {
    await this.#redis.script('ledgerRelease', ofAccount(account), [entry]);
    await this.#redis.script('ledgerRelease', ofAll(), [inAll(account, entry)]);
  }

  /** For an entry whose end in the account's own ledger was moved already, by the script that moved its keys'. */
  async extendInAll(account: string, entry: string, ttlMs: number): Promise<void> {
    await this.#redis.script('ledgerExtend', ofAll(), [inAll(account, entry), ttlMs]);
  }
}

const ofAccount = (account: string) => [accountKeys.ledger(account), accountKeys.ledgerBytes(account)];
const ofAll = () => [sharedKeys.ledger(), sharedKeys.ledgerBytes()];
const inAll = (account: string, entry: string) => `${account}:${entry}`;

/**
 * Passwords: argon2id with OWASP's minimum cost (19 MiB, two passes, one lane), stored in the account's record. Each hash takes memory and a thread:
 * a few run at a time, some are queued, the rest are refused.
 */
import type * as Argon2 from '@node-rs/argon2';
import { ConsoleError } from '@perch/schema';
import type { Accounts } from '../accounts/accounts.js';
import { guarded } from '../redis/guarded.js';
import { accountKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const atOnceMax = 4;
const queueMax = 32;

export class Passwords {
  readonly #redis: Connections;
  readonly #accounts: Accounts;
  #running = 0;
  readonly #queue: (() => void)[] = [];
  /** Hash to verify if there is no account, so that it takes as long. */
  #dummy: Promise<string> | null = null;

  constructor(redis: Connections, accounts: Accounts) {
    this.#redis = redis;
    this.#accounts = accounts;
  }

  /** @returns hash for `Accounts.create` and `replace` @throws {ConsoleError} too_busy */
  hash(password: string): Promise<string> {
    return this.#limited(async () => (await argon2()).hash(password, cost));
  }

  /**
   * Returns the account with this address and password, or null; takes as long either way. `hash` equals the result of `of` until the password
   * changes.
   * @throws {ConsoleError} too_busy
   */
  async check(email: string, password: string): Promise<{ account: string; hash: string } | null> {
    const account = await this.#accounts.findByEmail(email);
    const hash = account === null ? null : await this.of(account.id);
    const right = await this.#limited(async () => {
      const { verify } = await argon2();
      return verify(hash ?? (await this.#dummyHash()), password);
    });
    return right && account !== null && hash !== null ? { account: account.id, hash } : null;
  }

  /** Returns the password's hash, or null for an account without one. */
  async of(account: string): Promise<string | null> {
    return guarded(() => this.#redis.commands.hget(accountKeys.record(account), 'password'));
  }

  /**
   * Changes the account's password. The caller revokes its sessions.
   * @param from the current hash, null: none @returns false, with nothing changed, when the current hash is another
   */
  async replace(account: string, from: string | null, hash: string): Promise<boolean> {
    const key = accountKeys.record(account);
    return this.#redis.durably([key], async () => (await this.#redis.script('passwordReplace', [key], [from ?? '', hash])) === 1);
  }

  async #dummyHash(): Promise<string> {
    this.#dummy ??= argon2().then(({ hash }) => hash('', cost));
    return this.#dummy;
  }

  async #limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= atOnceMax) {
      if (this.#queue.length >= queueMax)
        throw new ConsoleError('too_busy', 'Too many sign-ins at the moment. Try again in a few seconds.', { retryAfterS: 3 });
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

/** Loaded on first use, because most processes that open a store sign no users in. */
async function argon2(): Promise<Pick<typeof Argon2, 'hash' | 'verify'>> {
  return import('@node-rs/argon2');
}

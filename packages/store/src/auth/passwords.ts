/** Argon2id with OWASP's minimum cost (19 MiB, two passes, one lane). A few hashes run at a time, some are queued, the rest are refused. */
import type * as Argon2 from '@node-rs/argon2';
import { Lazy } from '@perch/runtime/plain';
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
  readonly #dummyHash = new Lazy(async () => (await argon2()).hash('', cost));

  constructor(redis: Connections, accounts: Accounts) {
    this.#redis = redis;
    this.#accounts = accounts;
  }

  /** @returns hash for `Accounts.create` and `replace` @throws {ConsoleError} too_busy */
  hash(password: string): Promise<string> {
    return this.#limited(async () => (await argon2()).hash(password, cost));
  }

  /** Null for a wrong address or password, after the same time. `hash` equals `of` until the password changes. @throws {ConsoleError} too_busy */
  async check(email: string, password: string): Promise<{ account: string; hash: string } | null> {
    const account = await this.#accounts.findByEmail(email);
    const hash = account === null ? null : await this.of(account.id);
    const right = await this.#limited(async () => {
      const { verify } = await argon2();
      return verify(hash ?? (await this.#dummyHash.get()), password);
    });
    return right && account !== null && hash !== null ? { account: account.id, hash } : null;
  }

  async of(account: string): Promise<string | null> {
    return guarded(() => this.#redis.commands.hget(accountKeys.record(account), 'password'));
  }

  /** The caller revokes the account's sessions. @param from the current hash, null: none @returns false, with nothing changed, when it is another */
  async replace(account: string, from: string | null, hash: string): Promise<boolean> {
    const key = accountKeys.record(account);
    return this.#redis.durably([key], async () => (await this.#redis.script('passwordReplace', [key], [from ?? '', hash])) === 1);
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

/** Loads on first use, because most processes that open a store sign no users in. */
async function argon2(): Promise<Pick<typeof Argon2, 'hash' | 'verify'>> {
  return import('@node-rs/argon2');
}

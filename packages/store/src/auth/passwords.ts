/** Argon2id with OWASP's minimum cost (19 MiB, two passes, one lane). A few hashes run at a time, some are queued, the rest are refused. */
import type * as Argon2 from '@node-rs/argon2';
import { Lazy } from '@perch/runtime/plain';
import { ConsoleError } from '@perch/schema';
import type { Accounts } from '../accounts/accounts.js';
import { guarded } from '../redis/errors.js';
import { accountKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

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

/** Rule for new passwords. Existing passwords are not checked, so that users can still sign in. */
export const passwordChars = { min: 12, max: 200 };

/** On zxcvbn's scale of 0 to 4; below 3 a password is found within 10^8 guesses. */
const scoreMin = 3;
/** zxcvbn's time on the event loop grows with the length: 24 characters take 3 ms, the worst of 400 hostile ones 18 ms. */
const examinedCharsMax = 24;
const ownWords = ['perch', 'robot', 'stackchan'];

/** The first call in a process loads the estimator, about 25 MB. @param email address of the account, which the password must not repeat */
export async function isCommonPassword(password: string, email: string): Promise<boolean> {
  const examined = [...password].slice(0, examinedCharsMax).join('');
  const address = email.toLowerCase();
  const words = address.split(/[^\p{L}\p{N}]+/u);
  const { score } = (await estimator.get()).check(examined, [address, address.slice(0, examinedCharsMax), ...words, ...ownWords]);
  return score < scoreMin;
}

/** Loads on first use, because most processes that open a store set no passwords. */
const estimator = new Lazy(async (): Promise<ZxcvbnFactory> => {
  const [{ ZxcvbnFactory: Factory }, common] = await Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]);
  // zxcvbn takes seconds to try many substitutions (p@55w0rd); one per character is enough to find common passwords.
  return new Factory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs, l33tMaxSubstitutions: 1 });
});

/** Sign-in URLs, invitations, links in e-mails, OpenID Connect sign-ins, stored as hashes. The use of all but the last is on disk before the reply. */
import { mastersOf } from '../redis/cluster-nodes.js';
import { guarded } from '../redis/errors.js';
import { newSecret, sha256Short } from '../redis/ids.js';
import { sharedKeys, accountKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import type { Accounts } from '../accounts/accounts.js';
import type { Passwords } from './passwords.js';
import { redisTimeMs } from '../redis/in-time.js';

const prefixes = { link: 'pl_', invitation: 'pi_', oidc: 'po_', challenge: 'pc_', reset: 'pr_', verification: 'pv_' } as const;

export class OneTimeTokens {
  readonly #redis: Connections;
  readonly #kind: keyof typeof prefixes;

  constructor(redis: Connections, kind: keyof typeof prefixes) {
    this.#redis = redis;
    this.#kind = kind;
  }

  /** @param value returned by `take` @returns the token, which can be read only here */
  async make(value: string, lifeMs: number): Promise<string> {
    const secret = newSecret(prefixes[this.#kind]);
    await this.beforeMade(value, secret, lifeMs);
    const set = (): Promise<unknown> => guarded(() => this.#redis.commands.set(this.#key(secret), value, 'PX', Math.ceil(lifeMs)));
    // A challenge that a restart loses is asked for again.
    await (this.#kind === 'challenge' ? set() : this.#redis.durably([this.#key(secret)], set));
    return secret;
  }

  /** For a kind that is listed elsewhere. */
  protected async beforeMade(_value: string, _secret: string, _lifeMs: number): Promise<void> {}

  /** Consumes a token: one of two concurrent callers gets its value. @returns null when the token is unknown, used or expired */
  async take(secret: string): Promise<string | null> {
    const take = (): Promise<string | null> => guarded(() => this.#redis.commands.getdel(this.#key(secret)));
    if (this.#kind === 'oidc' || this.#kind === 'challenge') return take();
    // Don't wait for fsync for a token that does not exist.
    return (await this.lifeMs(secret)) === null ? null : this.#redis.durably([this.#key(secret)], take);
  }

  /** Returns the value without consuming the token, or null. */
  async find(secret: string): Promise<string | null> {
    return guarded(() => this.#redis.commands.get(this.#key(secret)));
  }

  /** Returns the remaining lifetime, or null when the token does not work; so that a form is not filled in in vain. */
  async lifeMs(secret: string): Promise<number | null> {
    const ms = await guarded(() => this.#redis.commands.pttl(this.#key(secret)));
    return ms > 0 ? ms : null;
  }

  /** For the rest of its lifetime. */
  async giveBack(secret: string, value: string, lifeMs: number): Promise<void> {
    await guarded(() => this.#redis.commands.set(this.#key(secret), value, 'PX', Math.ceil(lifeMs), 'NX'));
  }

  /** Deletes all unused tokens. Scans all keys of Redis, so it is for operators only. @returns their number */
  async endAll(): Promise<number> {
    const { commands } = this.#redis;
    let count = 0;
    for (const node of mastersOf(commands)) {
      const pages = node.scanStream({ match: sharedKeys.once(this.#kind, '*'), count: 1000 }) as AsyncIterable<string[]>;
      await guarded(async () => {
        for await (const keys of pages) count += await this.#end(keys);
      });
    }
    return count;
  }

  async #end(keys: readonly string[]): Promise<number> {
    const ended = await this.#redis.durably(keys, () => guarded(() => Promise.all(keys.map((key) => this.#redis.commands.unlink(key)))));
    return ended.reduce((sum, one) => sum + one, 0);
  }

  #key(secret: string): string {
    return sharedKeys.once(this.#kind, sha256Short(secret));
  }
}

/** One-time tokens that set a new password. A token ends with its use, after an hour, and when the password changes in any other way; but not while the
 * address is unverified: who signed up with another person's address could change the password for ever. */
export const passwordResetLifeMs = 3_600_000;

export interface PasswordReset {
  account: string;
  email: string;
  /** Hash of the current password, for `Passwords.replace`; null: none. */
  password: string | null;
}

export class PasswordResets {
  readonly #tokens: OneTimeTokens;
  readonly #accounts: Accounts;
  readonly #passwords: Passwords;

  constructor(redis: Connections, accounts: Accounts, passwords: Passwords) {
    this.#tokens = new OneTimeTokens(redis, 'reset');
    this.#accounts = accounts;
    this.#passwords = passwords;
  }

  /** @returns the token, which can be read only here */
  async make(account: string): Promise<string> {
    return this.#tokens.make(`${account} ${markOf(await this.#passwords.of(account))}`, passwordResetLifeMs);
  }

  /** Returns what the token would reset, without consuming it; null if it is unknown, used, expired or superseded. */
  async find(token: string): Promise<PasswordReset | null> {
    return this.#resetOf(await this.#tokens.find(token));
  }

  /** As `find`, and consumes the token: one of two concurrent callers gets the reset. */
  async take(token: string): Promise<PasswordReset | null> {
    return this.#resetOf(await this.#tokens.take(token));
  }

  /** Deletes all unused tokens; for operators only, as `OneTimeTokens.endAll`. */
  endAll(): Promise<number> {
    return this.#tokens.endAll();
  }

  async #resetOf(value: string | null): Promise<PasswordReset | null> {
    const [id = '', mark] = value?.split(' ') ?? [];
    const account = value === null ? null : await this.#accounts.get(id);
    if (account === null) return null;
    const [password, isProven] = await Promise.all([this.#passwords.of(id), this.#accounts.isProven(id)]);
    return markOf(password) === mark || !isProven ? { account: id, email: account.email, password } : null;
  }
}

function markOf(passwordHash: string | null): string {
  return sha256Short(passwordHash ?? '');
}

/** URLs that sign in to an account once, made by the operator. The account's list of them is written first, so that no link works that it does not have. */
export class SignInLinks extends OneTimeTokens {
  readonly #connections: Connections;

  constructor(redis: Connections) {
    super(redis, 'link');
    this.#connections = redis;
  }

  protected override async beforeMade(account: string, secret: string, lifeMs: number): Promise<void> {
    const list = accountKeys.signInLinks(account);
    await guarded(async () => {
      const now = await redisTimeMs(this.#connections);
      const until = Math.ceil(now + lifeMs);
      const left = await this.#connections.commands.pttl(list);
      const done = await this.#connections.commands
        .multi()
        .zremrangebyscore(list, '-inf', now)
        .zadd(list, until, sha256Short(secret))
        .pexpire(list, Math.max(left, Math.ceil(lifeMs)))
        .exec();
      for (const [error] of done ?? []) if (error) throw error;
    });
  }

  /** Those that a release before 0.11 made are in no list; they work an hour at most. @returns how many worked */
  async endAllOf(account: string): Promise<number> {
    const { commands } = this.#connections;
    const hashes = await guarded(() => commands.zrange(accountKeys.signInLinks(account), '0', '-1'));
    if (hashes.length === 0) return 0;
    const keys = hashes.map((hash) => sharedKeys.once('link', hash));
    const ended = await this.#connections.durably(keys, () => guarded(() => Promise.all(keys.map((key) => commands.unlink(key)))));
    await guarded(() => commands.zrem(accountKeys.signInLinks(account), ...hashes));
    return ended.reduce((sum, one) => sum + one, 0);
  }
}

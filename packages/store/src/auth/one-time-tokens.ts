/** Sign-in URLs, invitations, links in e-mails, OpenID Connect sign-ins, stored as hashes. The use of all but the last is on disk before the reply. */
import { mastersOf } from '../redis/cluster-nodes.js';
import { guarded } from '../redis/guarded.js';
import { newSecret, sha256Short } from '../ids.js';
import { sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

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

/**
 * Secrets that work once: links that sign in, invitations, sign-ins under way. Kept as their hash, with what they stand for, until used or expired.
 * That a link or an invitation was used is on disk before it is answered, as far as `durably` goes: it does not work again with a Redis that came back.
 */
import { Cluster } from 'ioredis';
import { guarded } from '../redis/guarded.js';
import { newSecret, sha256Short } from '../ids.js';
import { sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

const prefixes = { link: 'pl_', invitation: 'pi_', oidc: 'po_' } as const;

export class OneTimeTokens {
  readonly #redis: Connections;
  readonly #kind: keyof typeof prefixes;

  constructor(redis: Connections, kind: keyof typeof prefixes) {
    this.#redis = redis;
    this.#kind = kind;
  }

  /** @param value what `take` answers @returns the secret, which can be read here alone */
  async make(value: string, lifeMs: number): Promise<string> {
    const secret = newSecret(prefixes[this.#kind]);
    await this.#redis.durably([this.#key(secret)], () => guarded(() => this.#redis.commands.set(this.#key(secret), value, 'PX', Math.ceil(lifeMs))));
    return secret;
  }

  /** Uses a secret up: of two that have it one gets its value. @returns null where it is unknown, used or expired */
  async take(secret: string): Promise<string | null> {
    const take = (): Promise<string | null> => guarded(() => this.#redis.commands.getdel(this.#key(secret)));
    if (this.#kind === 'oidc') return take();
    // What somebody made up is worth no waiting for the disk.
    return (await this.lifeMs(secret)) === null ? null : this.#redis.durably([this.#key(secret)], take);
  }

  /** Whether it would work now, for a form that should not be filled in in vain; and for how long, ms. */
  async lifeMs(secret: string): Promise<number | null> {
    const ms = await guarded(() => this.#redis.commands.pttl(this.#key(secret)));
    return ms > 0 ? ms : null;
  }

  /** Makes a secret that was taken in vain work again, for what was left of its life. */
  async giveBack(secret: string, value: string, lifeMs: number): Promise<void> {
    await guarded(() => this.#redis.commands.set(this.#key(secret), value, 'PX', Math.ceil(lifeMs), 'NX'));
  }

  /** Ends all that were not used. Goes through every key of Redis: for operators. @returns how many there were */
  async endAll(): Promise<number> {
    const { commands } = this.#redis;
    let count = 0;
    for (const node of commands instanceof Cluster ? commands.nodes('master') : [commands]) {
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

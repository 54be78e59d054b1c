/** Secrets that work once: links that sign in, invitations, sign-ins under way. Kept as their hash, with what they stand for, until used or expired. */
import { guarded } from './guarded.js';
import { newSecret, sha256Short } from './ids.js';
import { sharedKeys } from './keys.js';
import type { Connections } from './redis.js';

const prefixes = { link: 'pl_', invitation: 'pi_', oidc: 'po_' } as const;

export class OnceSecrets {
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
  take(secret: string): Promise<string | null> {
    return guarded(() => this.#redis.commands.getdel(this.#key(secret)));
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

  #key(secret: string): string {
    return sharedKeys.once(this.#kind, sha256Short(secret));
  }
}

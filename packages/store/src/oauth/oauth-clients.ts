/** OAuth clients that registered themselves (RFC 7591). One that nobody allows anything is forgotten after a day. They have no secret. */
import { newId } from '../ids.js';
import { sharedKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/guarded.js';

const unusedClientMs = 24 * 3_600_000;
/** Well beyond the life of a grant that nobody uses, so that a client that asks again is still known. */
const usedClientMs = 365 * 24 * 3_600_000;

export interface RegisteredClient {
  name: string;
  /** Without spaces, as every URI. */
  redirectUris: readonly string[];
}

export class OAuthClients {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** @returns its id, which is not a secret */
  async register({ name, redirectUris }: RegisteredClient): Promise<string> {
    const id = newId('c');
    const key = sharedKeys.oauthClient(id);
    await guarded(async () => {
      const made = await this.#redis.commands
        .multi()
        .hset(key, { name, redirects: redirectUris.join(' ') })
        .pexpire(key, unusedClientMs)
        .exec();
      // A command refused inside a MULTI does not reject; a client without its expiry must not exist.
      for (const [error] of made ?? []) if (error) throw error;
    });
    return id;
  }

  async find(id: string): Promise<RegisteredClient | null> {
    if (!isClientId(id)) return null;
    const { name, redirects } = await guarded(() => this.#redis.commands.hgetall(sharedKeys.oauthClient(id)));
    return redirects === undefined ? null : { name: name ?? '', redirectUris: redirects.split(' ') };
  }

  /** Keeps a client that was allowed something. */
  async keep(id: string): Promise<void> {
    if (isClientId(id)) await guarded(() => this.#redis.commands.pexpire(sharedKeys.oauthClient(id), usedClientMs));
  }
}

/** Check it before using a text in a key name. */
function isClientId(text: string): boolean {
  return /^c-[0-9a-z]{10}$/.test(text);
}

/**
 * OAuth clients that registered themselves (RFC 7591). They have no secret. One that nobody allows anything is forgotten after a day, or sooner where
 * there are too many: the oldest of the site that has most, so that nobody who registers many keeps others from registering.
 */
import { ApiError } from '@perch/schema';
import { newId, sha256Short } from '../redis/ids.js';
import { sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/errors.js';

const unusedClientMs = 24 * 3_600_000;
/** Well beyond the life of a grant that nobody uses, so that a client that asks again is still known. */
const usedClientMs = 365 * 24 * 3_600_000;

/** Each may take 6 KB. */
const unusedMax = 1000;
/** A hosted client registers for each of its users, from few addresses. */
const unusedOfSiteMax = 200;
/** A user has this long to allow a client something before it may be forgotten for others. */
const safeMs = 10 * 60_000;

const unusedClients = [sharedKeys.unusedOAuthClients(), sharedKeys.unusedOAuthClientsBySite(), sharedKeys.oauthClientSites()] as const;

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

  /**
   * @param site of the client (`clientSite`), required for clients from outside
   * @returns its id, which is not a secret @throws {ApiError} rate_limited: the site has too many that registered within ten minutes
   */
  async register({ name, redirectUris }: RegisteredClient, site = ''): Promise<string> {
    const id = newId('c');
    const entry = await this.#enter(id, sha256Short(site));
    const key = sharedKeys.oauthClient(id);
    await guarded(async () => {
      const made = await this.#redis.commands
        .multi()
        .hset(key, { name, redirects: redirectUris.join(' '), entry })
        .pexpire(key, unusedClientMs)
        .exec();
      // A command refused inside a MULTI does not reject; a client without its expiry must not exist.
      for (const [error] of made ?? []) if (error) throw error;
    });
    return id;
  }

  /** @returns its entry among the unused clients */
  async #enter(id: string, site: string): Promise<string> {
    const entered = await this.#redis.script('clientEnter', unusedClients, [id, site, unusedOfSiteMax, unusedMax, safeMs, unusedClientMs]);
    if (entered[0] === 'full') {
      const retryAfterS = Math.ceil(entered[1] / 1000);
      throw new ApiError('rate_limited', `Too many clients were registered from your network. Try again in ${retryAfterS} seconds.`, { retryAfterS });
    }
    const [, entry, forgotten] = entered;
    if (forgotten !== '') await this.#redis.script('clientForget', [sharedKeys.oauthClient(forgotten)], [unusedClientMs]);
    return entry;
  }

  async find(id: string): Promise<RegisteredClient | null> {
    if (!isClientId(id)) return null;
    const { name, redirects } = await guarded(() => this.#redis.commands.hgetall(sharedKeys.oauthClient(id)));
    return redirects === undefined ? null : { name: name ?? '', redirectUris: redirects.split(' ') };
  }

  /** Keeps a client that was allowed something. */
  async keep(id: string): Promise<void> {
    if (!isClientId(id)) return;
    const { commands } = this.#redis;
    const key = sharedKeys.oauthClient(id);
    await guarded(() => commands.pexpire(key, usedClientMs));
    const entry = await guarded(() => commands.hget(key, 'entry'));
    if (!entry) return;
    await this.#redis.script('clientLeave', unusedClients, [entry, entry.split(' ', 1)[0]!]);
    await guarded(() => commands.hdel(key, 'entry'));
  }
}

/** Check it before using a text in a key name. */
function isClientId(text: string): boolean {
  return /^c-[0-9a-z]{10}$/.test(text);
}

import { ApiError, validateAddKey, type AddKeyAnswer, type ConsoleKey, type RevokeKeyAnswer } from '@perch/schema';
import type { ApiKeyRecord, Store } from '@perch/store';
import { conflictWhenFull } from '../conflict.js';
import type { SessionRoute } from '../route.js';

type KeyStore = Pick<Store, 'apiKeys' | 'keyRevocation' | 'robots' | 'clock'>;

/** @param keysMax keys that an account may create on the page; does not limit the operator's CLI */
export function keyRoutes(store: KeyStore, keysMax: number): SessionRoute[] {
  /** @throws {ApiError} bad_argument with `field` @throws {ConsoleError} conflict */
  async function add(account: string, body: unknown): Promise<AddKeyAnswer> {
    const { apiKeys, robots, clock } = store;
    const wanted = validateAddKey(body, clock.now());
    if (wanted.robots !== '*') {
      const foreign = await robots.firstForeign(account, wanted.robots);
      if (foreign !== -1) throw new ApiError('bad_argument', `robots[${foreign}]: not a robot of this account`, { field: `robots[${foreign}]` });
    }
    const { apiKey, id } = await conflictWhenFull(() => apiKeys.create({ account, ...wanted, max: keysMax }));
    const { name, robots: reached, expiresAt = null } = wanted;
    return { ok: true, key: keyOf({ id, account, name, robots: reached, createdAt: clock.now(), expiresAt, lastUsed: null }), api_key: apiKey };
  }

  return [
    {
      for: 'session',
      method: 'GET',
      path: 'keys',
      label: 'console_keys',
      handle: async ({ session }) => ({ ok: true, keys: (await store.apiKeys.list(session.account)).map(keyOf) }),
    },
    {
      for: 'session',
      method: 'POST',
      path: 'keys',
      audit: 'key_create',
      label: 'console_keys',
      handle: async ({ session, body }) => add(session.account, await body()),
    },
    {
      for: 'session',
      method: 'DELETE',
      path: 'keys/{key}',
      audit: 'key_revoke',
      label: 'console_key',
      handle: async ({ session, params, query }) => {
        const choice = query.get('webhooks');
        if (choice !== null && choice !== 'remove')
          throw new ApiError('bad_argument', 'webhooks: must be "remove"; omit it to keep them', { field: 'webhooks' });
        const removeWebhooks = choice === 'remove';
        const created = await store.keyRevocation.revoke(session.account, params['key']!, { removeWebhooks });
        if (created === null) throw new ApiError('not_found', 'This account has no such key; it may have been revoked, or expired.');
        return { ok: true, webhooks: created.map(({ id, url }) => ({ id, url, removed: removeWebhooks })) } satisfies RevokeKeyAnswer;
      },
    },
  ];
}

function keyOf({ id, name, robots, createdAt, expiresAt, lastUsed }: ApiKeyRecord): ConsoleKey {
  return {
    id,
    name,
    robots,
    created_at: time(createdAt),
    expires_at: expiresAt === null ? null : time(expiresAt),
    last_used: lastUsed === null ? null : time(lastUsed),
  };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

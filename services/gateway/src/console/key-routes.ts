import {
  ApiError,
  ConsoleError,
  defaultScopes,
  validateAddKey,
  validateRollKey,
  type AddKeyAnswer,
  type ConsoleKey,
  type RevokeKeyAnswer,
  type RollKeyAnswer,
} from '@perch/schema';
import type { ApiKeyRecord, Store } from '@perch/store';
import { conflictWhenFull, type SessionRequest, type SessionRoute } from './route.js';

type KeyStore = Pick<Store, 'apiKeys' | 'endings' | 'keyRotation' | 'robots' | 'clock'>;

/** @param keysMax keys that an account may create on the page; does not limit the operator's CLI */
export function keyRoutes(store: KeyStore, keysMax: number): SessionRoute[] {
  async function add({ session: { account }, body }: SessionRequest): Promise<AddKeyAnswer> {
    const { apiKeys, robots, clock } = store;
    const wanted = validateAddKey(await body(), clock.now());
    if (wanted.robots !== '*') {
      const foreign = await robots.firstForeign(account, wanted.robots);
      if (foreign !== -1) throw new ApiError('bad_argument', `robots[${foreign}]: not a robot of this account`, { field: `robots[${foreign}]` });
    }
    const { apiKey, id } = await conflictWhenFull(() => apiKeys.create({ account, ...wanted, max: keysMax }));
    const { name, robots: reached, scopes = defaultScopes, expiresAt = null } = wanted;
    return {
      ok: true,
      key: keyOf({ id, account, name, robots: reached, scopes, createdAt: clock.now(), expiresAt, lastUsed: null, agentAt: null, formerUntil: null }),
      api_key: apiKey,
    };
  }

  async function undo({ session: { account } }: SessionRequest, made: unknown): Promise<void> {
    await store.endings.end({ reason: 'key_revoked', account, key: (made as AddKeyAnswer).key.id, removeWebhooks: true });
  }

  async function list({ session }: SessionRequest): Promise<object> {
    return { ok: true, keys: (await store.apiKeys.list(session.account)).map(keyOf) };
  }

  async function revoke({ session, params, query }: SessionRequest): Promise<RevokeKeyAnswer> {
    const choice = query.get('webhooks');
    if (choice !== null && choice !== 'remove')
      throw new ApiError('bad_argument', 'webhooks: must be "remove"; omit it to keep them', { field: 'webhooks' });
    const removeWebhooks = choice === 'remove';
    const { counts, webhooks } = await store.endings.end({ reason: 'key_revoked', account: session.account, key: params['key']!, removeWebhooks });
    // A key that was revoked before may have left webhooks.
    if (counts.key === 0 && (!removeWebhooks || webhooks.length === 0)) throw noSuchKey();
    return { ok: true, webhooks: webhooks.map(({ id, url }) => ({ id, url, removed: removeWebhooks })) };
  }

  async function roll({ session, params, body }: SessionRequest): Promise<RollKeyAnswer> {
    const overlapMs = validateRollKey(await body());
    const id = params['key']!;
    const rolled = await store.keyRotation.roll(session.account, id, overlapMs);
    if (rolled === null) throw noSuchKey();
    if (rolled === 'client')
      throw new ConsoleError('conflict', 'A connected client has this key, and replaces its tokens itself. Revoke it instead.');
    if (rolled === 'changed') throw new ConsoleError('conflict', 'The secret of this key is being replaced elsewhere. Try again in a minute.');
    const { apiKey, formerUntil } = rolled;
    return { ok: true, key: { id, former_secret_until: formerUntil === null ? null : time(formerUntil) }, api_key: apiKey };
  }

  async function endFormer({ session, params }: SessionRequest): Promise<object> {
    if (!(await store.keyRotation.endFormer(session.account, params['key']!)))
      throw new ApiError('not_found', 'This account has no such key with an old secret that works; it may have ended.');
    return { ok: true };
  }

  return [
    { for: 'session', method: 'GET', path: 'keys', cost: 1, label: 'console_keys', handle: list },
    { for: 'session', method: 'POST', path: 'keys', cost: 1, label: 'console_keys', audit: 'key_create', handle: add, undo },
    { for: 'session', method: 'DELETE', path: 'keys/{key}', cost: 1, label: 'console_key', audit: 'key_revoke', handle: revoke },
    { for: 'session', method: 'POST', path: 'keys/{key}/secret', cost: 1, label: 'console_key_secret', audit: 'key_secret_roll', handle: roll },
    {
      for: 'session',
      method: 'DELETE',
      path: 'keys/{key}/former-secret',
      cost: 1,
      label: 'console_key_secret',
      audit: 'key_overlap_end',
      handle: endFormer,
    },
  ];
}

function noSuchKey(): ApiError {
  return new ApiError('not_found', 'This account has no such key; it may have been revoked, or expired.');
}

function keyOf({ id, name, robots, scopes, createdAt, expiresAt, lastUsed, agentAt, formerUntil, client }: ApiKeyRecord): ConsoleKey {
  return {
    id,
    name,
    robots,
    scopes,
    created_at: time(createdAt),
    expires_at: expiresAt === null ? null : time(expiresAt),
    last_used: lastUsed === null ? null : time(lastUsed),
    agent_at: agentAt === null ? null : time(agentAt),
    ...(formerUntil !== null && { former_secret_until: time(formerUntil) }),
    ...(client !== undefined && { client }),
  };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

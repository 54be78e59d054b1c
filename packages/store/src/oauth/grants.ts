/**
 * A grant of a user to an OAuth client: a key in the account's list, whose secret no client has. Clients get short-lived access tokens, which are admitted
 * like keys, and secrets that are exchanged for them once: first an authorization code, then refresh tokens. Each names the grant, so that an old one is
 * recognized, and ends the grant: another party has it.
 */
import type { KeyScope } from '@perch/schema/plain';
import type { AttemptCounter } from '../auth/attempt-counter.js';
import { inDoubt } from '../errors.js';
import { newSecret, sha256Short } from '../ids.js';
import { accountKeys, apiKeyRecord } from '../keys.js';
import type { ApiKeys } from '../keys/api-keys.js';
import { entryOf, hashesOf, replaceEntry } from '../keys/key-entry.js';
import { reachOf } from '../keys/scoped-field.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/guarded.js';
import { inTime } from '../redis/in-time.js';
import { redisTimeMs } from '../redis/redis-time.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import type { OAuthClients } from './oauth-clients.js';

const codeLifeMs = 60_000;
const accessLifeMs = 3_600_000;
/** From its latest use. */
const grantLifeMs = 90 * 24 * 3_600_000;
/** How long an access token works beyond its life or its successor, so that open calls end as they would have: questions wait at most two minutes. */
const formerAccessMs = 150_000;
/** Life of an access token until it is listed. */
const pendingMs = 10_000;

/** The scopes and robots that a user granted, and the client. */
export interface NewGrant {
  account: string;
  name: string;
  robots: '*' | string[];
  scopes: readonly KeyScope[];
  /** Keys of an account without a limit of its own, this one included. */
  max: number;
  client: string;
  /** Host or program that receives the code, for the list of keys. */
  address: string;
  redirectUri: string;
  /** RFC 7636, S256. */
  challenge: string;
  resource: string;
}

/** Parameters of a token request besides its secret; undefined: not sent. */
export interface Exchange {
  client: string;
  resource: string | undefined;
}

export interface CodeExchange extends Exchange {
  redirectUri: string | undefined;
  verifier: string;
}

export interface IssuedTokens {
  account: string;
  id: string;
  access: string;
  refresh: string;
  expiresInS: number;
  scopes: readonly KeyScope[];
}

/** reused: the grant has ended. other_resource: the client asks for another resource than the user allowed. */
export type Refusal =
  | { refused: 'invalid' | 'reused' | 'other_resource'; account?: string; id?: string }
  | { refused: 'too_many'; retryAfterS: number };

interface Found {
  /** Hash of the part of the secret that all secrets of a grant have in common; its record is the grant's. */
  grant: string;
  secret: string;
  step: string;
  record: Record<string, string>;
}

export interface GrantsOptions {
  redis: Connections;
  apiKeys: ApiKeys;
  webhooks: Pick<Webhooks, 'creditTo'>;
  attempts: AttemptCounter;
  clients: OAuthClients;
}

export class Grants {
  readonly #options: GrantsOptions;

  constructor(options: GrantsOptions) {
    this.#options = options;
  }

  /** Ends by itself unless its code is exchanged. @returns the authorization code, which can be read only here @throws {StoreError} full */
  async begin({ client, address, redirectUri, challenge, resource, ...key }: NewGrant): Promise<{ code: string; id: string }> {
    const { redis, apiKeys, clients } = this.#options;
    const step = newSecret('');
    const expiresAt = (await guarded(() => redisTimeMs(redis))) + codeLifeMs;
    const fields = { client, client_address: address, redirect: redirectUri, challenge, resource, step: `code ${sha256Short(step)}` };
    const { apiKey: secret, id } = await apiKeys.create({ ...key, expiresAt, grant: fields });
    await clients.keep(client);
    return { code: `${secret}.${step}`, id };
  }

  /** A wrong redirect URI or verifier uses up no code: both belong to the client that asked, and nobody guesses them. */
  async exchangeCode(code: string, { client, redirectUri, verifier, resource }: CodeExchange): Promise<IssuedTokens | Refusal> {
    const found = await this.#find(code, client);
    if (found === null) return { refused: 'invalid' };
    const { record } = found;
    // A code that was exchanged has neither; the exchange below ends the grant.
    const isFirst = record['challenge'] !== undefined;
    if (isFirst && record['resource'] !== (resource ?? record['resource'])) return { refused: 'other_resource' };
    if (isFirst && (record['redirect'] !== (redirectUri ?? record['redirect']) || record['challenge'] !== sha256Short(verifier)))
      return { refused: 'invalid' };
    return this.#exchange('code', found);
  }

  async refresh(token: string, { client, resource }: Exchange): Promise<IssuedTokens | Refusal> {
    const found = await this.#find(token, client);
    if (found === null) return { refused: 'invalid' };
    if (found.record['resource'] !== (resource ?? found.record['resource'])) return { refused: 'other_resource' };
    const retryAfterS = await this.#options.attempts.count('refresh', found.grant);
    return retryAfterS === null ? this.#exchange('refresh', found) : { refused: 'too_many', retryAfterS };
  }

  /**
   * Ends the grant of a token: an access token, or a refresh token, also an old one. Durable. Returns null for any other text, API keys included, and for
   * the token of another client.
   */
  async revoke(token: string, client: string): Promise<{ account: string; id: string } | null> {
    const { redis, apiKeys } = this.#options;
    const granted = token.startsWith('pk_') ? await guarded(() => redis.commands.hget(apiKeyRecord(sha256Short(token)), 'granted')) : null;
    const grant = granted ?? partsOf(token)?.grant;
    if (grant === undefined) return null;
    const [account, id, owner] = await guarded(() => redis.commands.hmget(apiKeyRecord(grant), 'account', 'id', 'client'));
    if (typeof account !== 'string' || typeof id !== 'string' || owner !== client) return null;
    await apiKeys.revoke(account, id);
    return { account, id };
  }

  async #find(token: string, client: string): Promise<Found | null> {
    const parts = partsOf(token);
    if (parts === null) return null;
    const record = await guarded(() => this.#options.redis.commands.hgetall(apiKeyRecord(parts.grant)));
    return record['step'] !== undefined && record['client'] === client ? { ...parts, record } : null;
  }

  async #exchange(kind: 'code' | 'refresh', { grant, secret, step, record }: Found): Promise<IssuedTokens | Refusal> {
    const { redis, apiKeys, clients } = this.#options;
    const [account, id] = [record['account']!, record['id']!];
    const key = apiKeyRecord(grant);
    const next = newSecret('');
    const issue = async (): Promise<IssuedTokens | Refusal> => {
      const agentAt = await this.#agentAt(account, id);
      const outcome = await inTime(redis, 'grantStep', [key], [kind, sha256Short(step), sha256Short(next), grantLifeMs, agentAt]);
      if (outcome === 'reused') {
        await apiKeys.revoke(account, id);
        return { refused: 'reused', account, id };
      }
      const access = outcome === 'done' ? await inDoubt(() => this.#makeAccess(grant, record)) : null;
      if (access === null) return { refused: 'invalid' };
      await inDoubt(() => clients.keep(record['client']!));
      return { account, id, access, refresh: `${secret}.${next}`, expiresInS: accessLifeMs / 1000, scopes: reachOf(record).scopes };
    };
    // A secret that was used up stays so; one that was not works again.
    const undo = async (): Promise<void> => {
      if ((await guarded(() => redis.commands.hget(key, 'step'))) !== record['step']) throw new Error('the secret is used up');
    };
    return redis.durably([key, accountKeys.apiKeys(account)], issue, undo);
  }

  /** When an agent first connected with the latest access token, which is the grant's from now on; '': none did, or the token has expired. */
  async #agentAt(account: string, id: string): Promise<string> {
    const { commands } = this.#options.redis;
    const { formerHash } = entryOf((await guarded(() => commands.hget(accountKeys.apiKeys(account), id))) ?? '');
    return formerHash === null ? '' : ((await guarded(() => commands.hget(apiKeyRecord(formerHash), 'agent_at'))) ?? '');
  }

  /**
   * Stored for a moment before it is listed, and for its life afterwards: every token that a client has is in the list, so that a revocation ends it.
   * Returns null if the grant was revoked meanwhile.
   */
  async #makeAccess(grant: string, record: Record<string, string>): Promise<string | null> {
    const { redis, webhooks } = this.#options;
    const { commands } = redis;
    const [account, id] = [record['account']!, record['id']!];
    const text = await guarded(() => commands.hget(accountKeys.apiKeys(account), id));
    const entry = entryOf(text ?? '');
    if (text === null || entry.keyHash !== grant) return null;
    const former = entry.formerHash === null ? null : apiKeyRecord(entry.formerHash);
    const [bucket, now] = await guarded(() => Promise.all([former === null ? null : commands.hget(former, 'bucket'), redisTimeMs(redis)]));
    const access = newSecret('pk_');
    const hash = sha256Short(access);
    const name = apiKeyRecord(hash);
    const until = Math.floor(now + accessLifeMs + formerAccessMs);
    const { robots, scoped, name: keyName = '', created_at: createdAt } = record;
    const fields = {
      account,
      id,
      name: keyName,
      robots: robots!,
      ...(scoped !== undefined && { scoped }),
      created_at: createdAt!,
      expires_at: until,
      granted: grant,
    };
    // With the bucket of the token before: a client gains no actions by refreshing.
    const write = commands
      .multi()
      .hset(name, { ...fields, ...(bucket !== null && { bucket }) })
      .pexpire(name, pendingMs);
    await guarded(async () => {
      for (const [error] of (await write.exec()) ?? []) if (error) throw error;
    });
    // Before it is in no list any more.
    if (entry.olderHash !== null) await guarded(() => commands.unlink(apiKeyRecord(entry.olderHash!)));
    const listed = [grant, entry.createdAt, hash, ...(entry.formerHash === null ? [] : [entry.formerHash])].join(' ');
    const rolled = await guarded(() => replaceEntry(redis, account, id, text, listed));
    if (rolled !== 'rolled' || (await inTime(redis, 'recordKeep', [name], [until])) !== 1) {
      await guarded(() => commands.unlink(name));
      return null;
    }
    if (former !== null) await guarded(() => commands.pexpire(former, formerAccessMs, 'LT'));
    for (const each of hashesOf(text).slice(1)) await webhooks.creditTo(account, each, grant);
    return access;
  }
}

const shape = /^(pf_[\w-]{43})\.([\w-]{43})$/;

function partsOf(token: string): { grant: string; secret: string; step: string } | null {
  const [, secret, step] = shape.exec(token) ?? [];
  return secret === undefined || step === undefined ? null : { grant: sha256Short(secret), secret, step };
}

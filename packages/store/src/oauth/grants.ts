/**
 * A grant of a user to an OAuth client: a key in the account's list, whose secret no client has. Clients get short-lived access tokens, which are admitted
 * like keys, and secrets that are exchanged for them: first an authorization code, once, then refresh tokens. Each names the grant, so that an old one is
 * recognized, and ends the grant: another party has it. The refresh token before the current one works until the current one is used, and gets what its
 * first use got: a client may lose an answer, and the windows of a program share a login.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { KeyScope } from '@perch/schema/plain';
import type { AttemptCounter } from '../accounts/attempt-counter.js';
import type { Endings } from '../endings/endings.js';
import { inDoubt, guarded } from '../redis/errors.js';
import { newSecret, sha256Short } from '../redis/ids.js';
import { accountKeys, apiKeyRecord } from '../redis/keys.js';
import { type ApiKeys, entryOf, hashesOf, replaceEntry } from '../keys/api-keys.js';
import { lettersOf, reachFields, reachOf, scopesOfLetters } from '../keys/scoped-field.js';
import type { Connections } from '../redis/connections.js';
import { inTime, redisTimeMs } from '../redis/in-time.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import type { OAuthClients } from './oauth-clients.js';

const codeLifeMs = 60_000;
const accessLifeMs = 3_600_000;
/** From its latest use. */
const grantLifeMs = 90 * 24 * 3_600_000;
/** How long an access token works beyond its life, so that open calls end as they would have: questions wait at most two minutes. */
const openCallsMs = 150_000;
/** Life of an access token until it is listed. */
const pendingMs = 10_000;
/** With less time left, the token of the first use is not issued again. */
const leftMinMs = 60_000;
/** Each is a change that another refresh of the grant made meanwhile. */
const triesMax = 5;

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

export interface RefreshExchange extends Exchange {
  /** For the access token alone: the next refresh may ask for all scopes again. Absent: all that the user allowed. */
  scopes?: readonly KeyScope[] | undefined;
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

/** reused: the grant has ended. other_resource, more_scopes: the client asks for what the user did not allow. */
export type Refusal =
  | { refused: 'invalid' | 'reused' | 'other_resource' | 'more_scopes'; account?: string; id?: string }
  | { refused: 'too_many'; retryAfterS: number };

interface Found {
  /** Hash of the part of the secret that all secrets of a grant have in common; its record is the grant's. */
  grant: string;
  secret: string;
  step: string;
  record: Record<string, string>;
}

interface Access {
  token: string;
  scopes: readonly KeyScope[];
  /** Redis ms. */
  untilMs: number;
}

/** The tokens that the first use of a refresh token got. */
interface FirstIssue extends Access {
  /** Changing part of the refresh token. */
  next: string;
}

export interface GrantsOptions {
  redis: Connections;
  apiKeys: ApiKeys;
  endings: Pick<Endings, 'end'>;
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
    const result = await this.#exchange('code', found, reachOf(record).scopes);
    return result === 'changed' ? { refused: 'invalid' } : result;
  }

  async refresh(token: string, { client, resource, scopes }: RefreshExchange): Promise<IssuedTokens | Refusal> {
    for (let tries = 0; tries < triesMax; tries++) {
      const found = await this.#find(token, client);
      if (found === null) return { refused: 'invalid' };
      const { grant, record, step } = found;
      if (record['resource'] !== (resource ?? record['resource'])) return { refused: 'other_resource' };
      const allowed = reachOf(record).scopes;
      if (scopes?.some((scope) => !allowed.includes(scope)) === true) return { refused: 'more_scopes' };
      const retryAfterS = tries === 0 ? await this.#options.attempts.count('refresh', grant) : null;
      if (retryAfterS !== null) return { refused: 'too_many', retryAfterS };
      const isBefore = record['before'] === `${sha256Short(step)} ${record['step']!.split(' ')[1]}`;
      // It was valid when it came: another refresh was faster, and goes on.
      if (tries > 0 && !isBefore) break;
      const result = await (isBefore ? this.#issueAgain(found, scopes ?? allowed) : this.#exchange('refresh', found, scopes ?? allowed));
      if (result !== 'changed') return result;
    }
    return { refused: 'invalid' };
  }

  /**
   * Ends the grant of a token: an access token, or a refresh token, also an old one. Durable. Returns null for any other text, API keys included, and for
   * the token of another client.
   */
  async revoke(token: string, client: string): Promise<{ account: string; id: string } | null> {
    const { redis, endings } = this.#options;
    const granted = token.startsWith('pk_') ? await guarded(() => redis.commands.hget(apiKeyRecord(sha256Short(token)), 'granted')) : null;
    const grant = granted ?? partsOf(token)?.grant;
    if (grant === undefined) return null;
    const [account, id, owner] = await guarded(() => redis.commands.hmget(apiKeyRecord(grant), 'account', 'id', 'client'));
    if (typeof account !== 'string' || typeof id !== 'string' || owner !== client) return null;
    await endings.end({ reason: 'key_revoked', account, key: id, removeWebhooks: false });
    return { account, id };
  }

  /**
   * Returns whether the client of an access token may be told to ask its user for more scopes: once in ten minutes for each. False for an API key.
   * @param keyHash of the token
   */
  async mayStepUp(keyHash: string, scopes: readonly KeyScope[]): Promise<boolean> {
    const { redis, attempts } = this.#options;
    const grant = await guarded(() => redis.commands.hget(apiKeyRecord(keyHash), 'granted'));
    return grant !== null && (await attempts.count('stepUp', `${grant} ${lettersOf(scopes)}`)) === null;
  }

  async #find(token: string, client: string): Promise<Found | null> {
    const parts = partsOf(token);
    if (parts === null) return null;
    const record = await guarded(() => this.#options.redis.commands.hgetall(apiKeyRecord(parts.grant)));
    return record['step'] !== undefined && record['client'] === client ? { ...parts, record } : null;
  }

  /** `changed`: the secret was used meanwhile, and now is the one before. */
  async #exchange(kind: 'code' | 'refresh', found: Found, scopes: readonly KeyScope[]): Promise<IssuedTokens | Refusal | 'changed'> {
    const { redis, endings } = this.#options;
    const { grant, step, record } = found;
    const [account, id] = [record['account']!, record['id']!];
    const key = apiKeyRecord(grant);
    const issue = async (): Promise<IssuedTokens | Refusal | 'changed'> => {
      const agentAt = await this.#agentAt(account, id);
      const first: FirstIssue = { ...newAccess(scopes, await guarded(() => redisTimeMs(redis))), next: newSecret('') };
      const kept = kind === 'code' ? '' : sealed(step, first);
      const outcome = await inTime(redis, 'grantStep', [key], [kind, sha256Short(step), sha256Short(first.next), grantLifeMs, agentAt, kept, '']);
      if (outcome === 'reused') {
        await endings.end({ reason: 'key_revoked', account, key: id, removeWebhooks: false });
        return { refused: 'reused', account, id };
      }
      if (outcome === 'before') return 'changed';
      return outcome === 'done' ? inDoubt(() => this.#issued(found, first)) : { refused: 'invalid' };
    };
    // A secret that was used up stays so; one that was not works again.
    const undo = async (): Promise<void> => {
      if ((await guarded(() => redis.commands.hget(key, 'step'))) !== record['step']) throw new Error('the secret is used up');
    };
    return redis.durably([key, accountKeys.apiKeys(account)], issue, undo);
  }

  /** For the refresh token before the current one. A new access token where that of its first use has ended, or has other scopes. */
  async #issueAgain(found: Found, scopes: readonly KeyScope[]): Promise<IssuedTokens | Refusal | 'changed'> {
    const { redis } = this.#options;
    const { grant, step, record } = found;
    const key = apiKeyRecord(grant);
    const kept = record['kept'] ?? '';
    const first = opened(step, kept);
    if (first === null) return { refused: 'invalid' };
    return redis.durably([key, accountKeys.apiKeys(record['account']!)], async () => {
      const now = await guarded(() => redisTimeMs(redis));
      if (lettersOf(first.scopes) === lettersOf(scopes) && first.untilMs - now > leftMinMs) return this.#issued(found, first);
      const renewed = { ...first, ...newAccess(scopes, now) };
      const hashes = [sha256Short(step), sha256Short(first.next)];
      const outcome = await inTime(redis, 'grantStep', [key], ['again', ...hashes, grantLifeMs, '', sealed(step, renewed), kept]);
      return outcome === 'done' ? inDoubt(() => this.#issued(found, renewed)) : 'changed';
    });
  }

  async #issued({ grant, secret, record }: Found, { next, ...access }: FirstIssue): Promise<IssuedTokens | Refusal> {
    const { redis, clients } = this.#options;
    if (!(await this.#listAccess(grant, record, access))) return { refused: 'invalid' };
    await clients.keep(record['client']!);
    const expiresInS = Math.round((access.untilMs - (await guarded(() => redisTimeMs(redis)))) / 1000);
    return { account: record['account']!, id: record['id']!, access: access.token, refresh: `${secret}.${next}`, expiresInS, scopes: access.scopes };
  }

  /** When an agent first connected with the latest access token, which is the grant's from now on; '': none did, or the token has expired. */
  async #agentAt(account: string, id: string): Promise<string> {
    const { commands } = this.#options.redis;
    const { formerHash } = entryOf((await guarded(() => commands.hget(accountKeys.apiKeys(account), id))) ?? '');
    return formerHash === null ? '' : ((await guarded(() => commands.hget(apiKeyRecord(formerHash), 'agent_at'))) ?? '');
  }

  /**
   * Stored for a moment before it is listed, and for its life afterwards: every token that a client has is in the list, so that a revocation ends it. May
   * be repeated, also at the same time. Returns false if the grant was revoked meanwhile.
   */
  async #listAccess(grant: string, record: Record<string, string>, { token, scopes, untilMs }: Access): Promise<boolean> {
    const { redis, webhooks } = this.#options;
    const { commands } = redis;
    const [account, id] = [record['account']!, record['id']!];
    const hash = sha256Short(token);
    const name = apiKeyRecord(hash);
    const until = untilMs + openCallsMs;
    for (let tries = 0; tries < triesMax; tries++) {
      const text = await guarded(() => commands.hget(accountKeys.apiKeys(account), id));
      const entry = entryOf(text ?? '');
      if (text === null || entry.keyHash !== grant) break;
      const isListed = entry.formerHash === hash || entry.olderHash === hash;
      if ((await guarded(() => commands.exists(name))) === 0) {
        // With the bucket of the token before: a client gains no actions by refreshing.
        const bucket = entry.formerHash === null ? null : await guarded(() => commands.hget(apiKeyRecord(entry.formerHash!), 'bucket'));
        const fields = {
          account,
          id,
          name: record['name'] ?? '',
          ...reachFields(scopes, reachOf(record).robots),
          created_at: record['created_at']!,
          expires_at: until,
          granted: grant,
          ...(bucket !== null && { bucket }),
        };
        const write = commands.multi().hset(name, fields).pexpire(name, pendingMs);
        await guarded(async () => {
          for (const [error] of (await write.exec()) ?? []) if (error) throw error;
        });
        // A revocation may have removed the entry and unlinked the record before this write.
        if (isListed) continue;
      }
      if (!isListed) {
        // Before it is in no list any more.
        if (entry.olderHash !== null) await guarded(() => commands.unlink(apiKeyRecord(entry.olderHash!)));
        const listed = [grant, entry.createdAt, hash, ...(entry.formerHash === null ? [] : [entry.formerHash])].join(' ');
        const rolled = await guarded(() => replaceEntry(redis, account, id, text, listed));
        if (rolled === 'removing') break;
        if (rolled === 'changed') continue;
      }
      if ((await inTime(redis, 'recordKeep', [name], [until])) !== 1) continue;
      for (const each of hashesOf(text).slice(1)) await webhooks.creditTo(account, each, grant);
      return true;
    }
    await guarded(() => commands.unlink(name));
    return false;
  }
}

function newAccess(scopes: readonly KeyScope[], now: number): Access {
  return { token: newSecret('pk_'), scopes, untilMs: Math.floor(now + accessLifeMs) };
}

/** Only who has the refresh token can open it. In the field `kept` of the grant's record. */
function sealed(step: string, { token, next, scopes, untilMs }: FirstIssue): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealKey(step), iv);
  const data = Buffer.concat([cipher.update(`${token} ${next} ${lettersOf(scopes)}`), cipher.final()]);
  return `${untilMs} ${Buffer.concat([iv, cipher.getAuthTag(), data]).toString('base64url')}`;
}

function opened(step: string, kept: string): FirstIssue | null {
  const [untilMs, text = ''] = kept.split(' ');
  const bytes = Buffer.from(text, 'base64url');
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealKey(step), bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28));
    const [token = '', next = '', letters = ''] = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
      .toString()
      .split(' ');
    return { token, next, scopes: scopesOfLetters(letters), untilMs: Number(untilMs) };
  } catch {
    return null;
  }
}

function sealKey(step: string): Buffer {
  return Buffer.from(hkdfSync('sha256', step, '', 'perch tokens of the first use', 32));
}

const shape = /^(pf_[\w-]{43})\.([\w-]{43})$/;

function partsOf(token: string): { grant: string; secret: string; step: string } | null {
  const [, secret, step] = shape.exec(token) ?? [];
  return secret === undefined || step === undefined ? null : { grant: sha256Short(secret), secret, step };
}

/** API keys: which robots a caller may act on, and how fast. A key is shown once and stored as its SHA-256. */
import { defaultScopes, type KeyScope, type ScopeNeed } from '@perch/schema/plain';
import { LRUCache } from 'lru-cache';
import { refusalOf } from '../accounts/account-limits.js';
import { Admissions, type Admission } from './admissions.js';
import { type StoreError, guarded } from '../redis/errors.js';
import { newId, newSecret, sha256Short } from '../redis/ids.js';
import { accountKeys, apiKeyRecord, sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { inTime, redisTimeMs } from '../redis/in-time.js';
import { lettersOf, reachFields, reachOf, robotsField, robotsOf, scopesOfLetters } from './scoped-field.js';
import { slicesOf } from '../redis/scans.js';

/** As the owner sees it. Times in Redis ms. */
export interface ApiKeyRecord {
  id: string;
  account: string;
  name: string;
  /** '*': all of the account's robots, including later ones. */
  robots: '*' | string[];
  scopes: readonly KeyScope[];
  createdAt: number;
  expiresAt: number | null;
  /** With a resolution of one minute. */
  lastUsed: number | null;
  /** When an agent first connected with it; null: never, or before 0.10.0. */
  agentAt: number | null;
  /** Until then the previous secret works, too; null: only the newest. */
  formerUntil: number | null;
  /** Host or program of the OAuth client that has the key; absent: none. */
  client?: string;
}

export interface NewKey {
  account: string;
  name?: string;
  robots?: '*' | string[];
  /** At least one; default: `defaultScopes`. */
  scopes?: readonly KeyScope[];
  expiresAt?: number;
  max?: number;
  /** Further fields of the record, for the grant of an OAuth client (grants.ts): its secret is not admitted. */
  grant?: Readonly<Record<string, string>>;
}

export interface FoundKey {
  id: string;
  account: string;
  name: string;
  /** False: a newer secret replaced it. */
  isCurrent: boolean;
  /** Redis ms; null: it does not end by itself. */
  worksUntil: number | null;
}

export interface AdmitRequest {
  apiKey: string;
  /** With the account it belongs to. If unset, the call names no robot. */
  robot?: { id: string; account: string };
  /** Number of actions: the bucket admits all of them or none. 0 only checks the key. */
  cost: number;
  /** Scopes that the call needs, all of them. */
  needs?: readonly ScopeNeed[];
}

/** Id in the record of a session, which is stored as a key that is in no list. */
export const sessionKeyId = 'session';

const keysAtOnce = 100;
const ownersKept = 10_000;
/** Takes Redis 0.1 ms. */
const checkedAtOnce = 500;

export class ApiKeys {
  readonly #redis: Connections;
  readonly #admissions: Admissions;
  readonly #owners = new LRUCache<string, string>({ max: ownersKept });

  constructor(redis: Connections) {
    this.#redis = redis;
    this.#admissions = new Admissions(redis);
  }

  /**
   * The key can be read only here; one that is not returned does not exist. The list first: a crash leaves an entry without a key, never a key that cannot
   * be revoked.
   * @param options.max if the account has no limit of its own, including this key; unset (operator's CLI): unlimited @throws {StoreError} full
   */
  async create(options: NewKey): Promise<{ apiKey: string; id: string }> {
    const apiKey = newSecret(options.grant === undefined ? 'pk_' : 'pf_');
    const id = newId('k');
    const keyHash = sha256Short(apiKey);
    const { account } = options;
    let entry = '';
    const make = async (): Promise<StoreError | null> => {
      const createdAt = await guarded(() => redisTimeMs(this.#redis));
      entry = `${keyHash} ${createdAt}`;
      const refused = refusalOf(await this.#reserve(options, id, entry), 'keys', 'Revoke one that is no longer used.');
      if (refused === null) await this.#write(options, id, keyHash, createdAt);
      return refused;
    };
    // An entry that comes late is dropped after a minute (`list`).
    const undo = async (): Promise<void> => {
      await guarded(() => this.#redis.commands.unlink(apiKeyRecord(keyHash)));
      await replaceEntry(this.#redis, account, id, entry, null);
    };
    const refusal = await this.#redis.durably([apiKeyRecord(keyHash), accountKeys.apiKeys(account)], make, undo);
    if (refusal !== null) throw refusal;
    // Revoked with all keys of the account before its record was written.
    if ((await this.hashesOf(account, id)).length === 0) await guarded(() => this.#redis.commands.unlink(apiKeyRecord(keyHash)));
    return { apiKey, id };
  }

  async #reserve({ account, max }: NewKey, id: string, entry: string): Promise<string> {
    const keys = [accountKeys.apiKeys(account), accountKeys.record(account)] as const;
    const add = () => this.#redis.script('keyList', keys, [id, entry, max ?? '']);
    const reply = await add();
    const bound = /^(?:full|limited) (\d+)$/.exec(reply);
    // Entries of expired keys still count; listing drops them.
    return bound !== null && (await this.list(account)).length < Number(bound[1]) ? add() : reply;
  }

  async #write(
    { account, name = '', robots = '*', scopes = defaultScopes, expiresAt, grant = {} }: NewKey,
    id: string,
    keyHash: string,
    createdAt: number,
  ): Promise<void> {
    const end = expiresAt === undefined ? undefined : Math.floor(expiresAt);
    const fields = {
      account,
      id,
      name,
      ...reachFields(scopes, robotsField(robots)),
      created_at: createdAt,
      ...(end === undefined ? {} : { expires_at: end }),
      ...grant,
    };
    await inTime(this.#redis, 'keyMake', [apiKeyRecord(keyHash)], [end ?? '', ...Object.entries(fields).flat()]);
  }

  /** Oldest first. */
  async list(account: string): Promise<ApiKeyRecord[]> {
    return guarded(async () => {
      const { commands } = this.#redis;
      const index = Object.entries(await commands.hgetall(accountKeys.apiKeys(account))).map(([id, text]) => ({ id, text, ...entryOf(text) }));
      const records: Record<string, string>[] = [];
      for (const slice of slicesOf(index, keysAtOnce)) {
        records.push(...(await Promise.all(slice.map(({ keyHash }) => commands.hgetall(apiKeyRecord(keyHash))))));
      }
      for (const [i, { id, text, formerHash }] of index.entries())
        if (formerHash !== null && records[i]!.account === undefined) records[i] = (await restoredRecord(this.#redis, account, id, text)) ?? {};
      await this.#addUseOfTokens(index, records);
      // Entries of expired keys and interrupted creations; keys that are just being created are not touched.
      const now = await redisTimeMs(this.#redis);
      const before = now - 60_000;
      const gone = index.filter(({ createdAt }, i) => records[i]!.account === undefined && Number(createdAt) < before);
      await Promise.all(gone.map(({ id, text }) => replaceEntry(this.#redis, account, id, text, null)));
      return records
        .filter((record) => record.account === account)
        .map((record) => recordOf(record, now))
        .toSorted((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id));
    });
  }

  /** A grant is used through its access token. */
  async #addUseOfTokens(index: readonly { formerHash: string | null }[], records: readonly Record<string, string>[]): Promise<void> {
    const granted = records.flatMap((record, i) =>
      record['client'] !== undefined && index[i]!.formerHash !== null ? [[record, index[i]!.formerHash] as const] : [],
    );
    const tokens = await Promise.all(granted.map(([, token]) => this.#redis.commands.hmget(apiKeyRecord(token), 'last_used', 'agent_at')));
    for (const [i, [record]] of granted.entries()) {
      const [lastUsed, agentAt] = tokens[i]!;
      if (typeof lastUsed === 'string') record['last_used'] = lastUsed;
      if (typeof agentAt === 'string') record['agent_at'] ??= agentAt;
    }
  }

  /** By a secret of it, which may also be a token of an OAuth client. Returns null for one that does not work (any more), and for that of a session. */
  async find(secret: string): Promise<FoundKey | null> {
    const { commands } = this.#redis;
    // The part after the dot changes with each use of a refresh token.
    const keyHash = sha256Short(secret.split('.')[0]!);
    const record = await guarded(() => commands.hgetall(apiKeyRecord(keyHash)));
    const { account, id, name = '' } = record;
    if (account === undefined || id === undefined || id === sessionKeyId) return null;
    const entry = entryOf((await guarded(() => commands.hget(accountKeys.apiKeys(account), id))) ?? '');
    // The latest access token of a grant is listed behind the grant.
    const isCurrent = keyHash === entry.keyHash || (record['granted'] === entry.keyHash && keyHash === entry.formerHash);
    const [life, now] = await guarded(() => Promise.all([commands.pttl(apiKeyRecord(keyHash)), redisTimeMs(this.#redis)]));
    return { account, id, name, isCurrent, worksUntil: life < 0 ? null : now + life };
  }

  /**
   * Returns who asks with this key, for what outlives its call: the id of the API key, which a new secret does not change, or of the grant of an access
   * token, or the account of a session. Null: the key has ended.
   */
  async ownerOf(keyHash: string): Promise<string | null> {
    const known = this.#owners.get(keyHash);
    if (known !== undefined) return known;
    const [account, id] = await guarded(() => this.#redis.commands.hmget(apiKeyRecord(keyHash), 'account', 'id'));
    if (typeof account !== 'string' || typeof id !== 'string') return null;
    const owner = id === sessionKeyId ? account : id;
    this.#owners.set(keyHash, owner);
    return owner;
  }

  async noteAgent(keyHash: string): Promise<void> {
    await guarded(() => this.#redis.script('keyAgent', [apiKeyRecord(keyHash)], []));
  }

  /** Returns the hash also if the key has expired; null when it is not listed. */
  async hashOf(account: string, id: string): Promise<string | null> {
    return (await this.hashesOf(account, id))[0] ?? null;
  }

  /** That of the newest secret first; empty if the key is not listed. */
  async hashesOf(account: string, id: string): Promise<string[]> {
    const entry = await guarded(() => this.#redis.commands.hget(accountKeys.apiKeys(account), id));
    return entry === null ? [] : hashesOf(entry);
  }

  /** Returns those of the hashes that are working keys of the account, without sessions. Takes one pipeline (on a Cluster, one a node). */
  async named(account: string, keyHashes: readonly string[]): Promise<Map<string, { id: string; name: string }>> {
    const { commands } = this.#redis;
    const records = await guarded(() => Promise.all(keyHashes.map((keyHash) => commands.hmget(apiKeyRecord(keyHash), 'account', 'id', 'name'))));
    return new Map(
      records.flatMap(([owner, id, name], i) =>
        owner === account && typeof id === 'string' && id !== sessionKeyId ? [[keyHashes[i]!, { id, name: name ?? '' }] as const] : [],
      ),
    );
  }

  /** Revokes a key for every call that starts after this resolves, on every instance. @returns false when the account has no such key */
  async revoke(account: string, id: string): Promise<boolean> {
    return guarded(async () => {
      const { commands } = this.#redis;
      const entry = await commands.hget(accountKeys.apiKeys(account), id);
      if (entry === null) return false;
      const records = hashesOf(entry).map(apiKeyRecord).toReversed();
      await commands.unlink(sharedKeys.asked(id));
      return this.#redis.durably(records, async () => {
        // The newest secret last, since without it the one before counts as the key, and then the list: a crash leaves an entry, not a key that works.
        let ended = 0;
        for (const record of records) ended += await commands.unlink(record);
        // A new secret was made meanwhile: it is revoked, too.
        if ((await replaceEntry(this.#redis, account, id, entry, null)) === 'changed') return (await this.revoke(account, id)) || ended > 0;
        // A key that is just being created is written before its creator looks for the entry again.
        for (const record of records) ended += await commands.unlink(record);
        return ended > 0;
      });
    });
  }

  /**
   * As `revoke`: those of OAuth clients, or all others. @returns how many worked
   * @param listed `stays`: the account is being removed, and the next pass finds a key that an instance of 0.10.x is just creating
   */
  async revokeAll(account: string, which: 'keys' | 'grants', listed: 'stays' | 'ends' = 'ends'): Promise<number> {
    const { commands } = this.#redis;
    const entries = Object.entries(await guarded(() => commands.hgetall(accountKeys.apiKeys(account))));
    let revoked = 0;
    for (const slice of slicesOf(entries, keysAtOnce)) {
      const clients = await guarded(() => Promise.all(slice.map(([, text]) => commands.hget(apiKeyRecord(entryOf(text).keyHash), 'client'))));
      const own = slice.filter((_, i) => (clients[i] !== null) === (which === 'grants'));
      const end = async (text: string): Promise<boolean> => {
        const records = hashesOf(text).map(apiKeyRecord);
        return this.#redis.durably(records, async () =>
          (await guarded(() => Promise.all(records.map((record) => commands.unlink(record))))).includes(1),
        );
      };
      const ended = await Promise.all(own.map(([id, text]) => (listed === 'stays' ? end(text) : this.revoke(account, id))));
      revoked += ended.filter(Boolean).length;
    }
    return revoked;
  }

  /** Checks a key and takes actions from its bucket, in one command. They may have been taken despite an error. */
  async admit(request: AdmitRequest): Promise<Admission> {
    const keyHash = sha256Short(request.apiKey);
    const { robot, cost, needs } = request;
    const reply = await this.#admissions.admit({
      keyHash,
      robot: robot?.id ?? '',
      account: robot?.account ?? '',
      cost,
      needs: needs === undefined ? '' : lettersOf(needs),
    });
    const parts = reply.split(' ');
    // A key without scopes that is admitted has no word before the numbers.
    if (/^\d/.test(reply)) parts.unshift('ok');
    const [head, remaining, resetS, shortS, account, robots] = parts;
    const colon = head!.indexOf(':');
    const status = colon === -1 ? head : head!.slice(0, colon);
    if (status === 'unauthorized') return { ok: false, reason: 'unauthorized' };
    const bucket = { remaining: Number(remaining), resetS: Number(resetS) };
    if (status === 'foreign') return { ok: false, reason: 'foreign_robot', account: account!, keyHash, ...bucket };
    const scopes = colon === -1 ? defaultScopes : scopesOfLetters(head!.slice(colon + 1));
    if (status === 'scope') return { ok: false, reason: 'scope_missing', scopes, account: robot?.account ?? account!, keyHash, ...bucket };
    if (status === 'limited') {
      const retryAfterS = Math.max(1, Number(shortS));
      return { ok: false, reason: 'rate_limited', retryAfterS, account: robot?.account ?? account!, keyHash, ...bucket };
    }
    return robot === undefined
      ? { ok: true, account: account!, keyHash, robots: robotsOf(robots!), scopes, ...bucket }
      : { ok: true, account: robot.account, keyHash, robots: [robot.id], scopes, ...bucket };
  }

  /** Returns which keys still work, in order: one command for 500 keys, and one for each key of a batch in which one ended (Cluster: one a key). */
  async stillValid(keyHashes: readonly string[]): Promise<boolean[]> {
    const slices = slicesOf(keyHashes.map(apiKeyRecord), this.#redis.isCluster ? 1 : checkedAtOnce);
    return (await guarded(() => Promise.all(slices.map((slice) => this.#exist(slice))))).flat();
  }

  /** Returns how long the last of the keys still works, ms: Infinity without an end, 0 if none works. */
  async lifeOf(keyHashes: readonly string[]): Promise<number> {
    const { commands } = this.#redis;
    const lives = await guarded(() => Promise.all(keyHashes.map((hash) => commands.pttl(apiKeyRecord(hash)))));
    return Math.max(0, ...lives.map((life) => (life === -1 ? Infinity : life)));
  }

  async #exist(records: readonly string[]): Promise<boolean[]> {
    const { commands } = this.#redis;
    // EXISTS returns how many keys exist, not which.
    const count = await commands.exists(...records);
    if (count === records.length || records.length === 1) return records.map(() => count > 0);
    return (await Promise.all(records.map((record) => commands.exists(record)))).map((each) => each === 1);
  }
}

function recordOf(hash: Record<string, string>, now: number): ApiKeyRecord {
  const { robots, scopes } = reachOf(hash);
  return {
    id: hash.id!,
    account: hash.account!,
    name: hash.name ?? '',
    robots: robotsOf(robots),
    scopes,
    createdAt: Number(hash.created_at),
    expiresAt: hash.expires_at === undefined ? null : Number(hash.expires_at),
    lastUsed: hash.last_used === undefined ? null : Number(hash.last_used),
    agentAt: hash.agent_at === undefined ? null : Number(hash.agent_at),
    formerUntil: Number(hash.former_until ?? 0) > now ? Number(hash.former_until) : null,
    ...(hash.client !== undefined && { client: hash.client_address ?? '' }),
  };
}

/**
 * An entry of an account's list of keys: `<hash> <created at>`, after a new secret also the hash of the one before. Of an OAuth
 * client's grant (grants.ts): `<grant> <created at> <hash of the access token> <hash of the one before>`.
 */
interface KeyEntry {
  keyHash: string;
  createdAt: string;
  formerHash: string | null;
  /** Hash of the access token before that in `formerHash`. */
  olderHash: string | null;
}

export function entryOf(text: string): KeyEntry {
  const [keyHash = '', createdAt = '', formerHash = null, olderHash = null] = text.split(' ');
  return { keyHash, createdAt, formerHash, olderHash };
}

export function hashesOf(text: string): string[] {
  const { keyHash, formerHash, olderHash } = entryOf(text);
  return [keyHash, formerHash, olderHash].filter((hash) => hash !== null);
}

/** Null removes the entry. Returns 'changed' if it is no longer as it was read. */
export async function replaceEntry(
  redis: Connections,
  account: string,
  id: string,
  read: string,
  entry: string | null,
): Promise<'rolled' | 'changed' | 'removing'> {
  const keys = [accountKeys.apiKeys(account), accountKeys.record(account)] as const;
  return redis.script('keyRoll', keys, [id, read, entry ?? '']);
}

/**
 * Undoes a replacement of a secret whose instance ended before it confirmed the new one, which has expired: the former secret is the key again, for as
 * long as before. Returns its record; null if there is nothing to undo.
 */
export async function restoredRecord(redis: Connections, account: string, id: string, read: string): Promise<Record<string, string> | null> {
  const { keyHash, createdAt, formerHash } = entryOf(read);
  if (formerHash === null) return null;
  const former = apiKeyRecord(formerHash);
  const record = await redis.commands.hgetall(former);
  if (record['account'] !== account) return null;
  // The secret before this one was ended by the replacement.
  await redis.commands.hdel(former, 'former_until');
  delete record['former_until'];
  // Before the entry, which leads here again after a crash in between.
  await redis.script('keyEnd', [former], [keyHash, 'restore', record['expires_at'] ?? '']);
  return (await replaceEntry(redis, account, id, read, `${formerHash} ${createdAt}`)) === 'rolled' ? record : null;
}

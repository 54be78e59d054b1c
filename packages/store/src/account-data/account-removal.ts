/**
 * The account's record is marked first: from then on nothing is added. Then all is revoked, and deleted in passes over all keys until two in a row
 * find nothing. The address is deleted last, so that the same call resumes an interrupted removal; so does any gateway some minutes later, because the
 * removal is listed until it has ended. Guarantee: afterwards no key names the account, its robots, its webhooks or its address. What a process paused
 * for longer may still write expires, or belongs to no account.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { emailHash, type Accounts } from '../accounts/accounts.js';
import type { AttemptCounter } from '../accounts/attempt-counter.js';
import type { Endings } from '../endings/endings.js';
import { StoreError, asStoreError, guarded } from '../redis/errors.js';
import { isRobotId, isAccountId } from '../redis/ids.js';
import { accountKeys, sharedKeys, robotKeys, pairingKeys } from '../redis/keys.js';
import type { LinkMailbox } from '../messaging/messaging.js';
import type { Connections } from '../redis/connections.js';
import { redisTimeMs } from '../redis/in-time.js';
import type { Robots } from '../robots/robots.js';
import { scannedSet, slicesOf, scannedKeys } from '../redis/scans.js';
import { mediaBudgetKeys } from '../media/media-budget.js';
import { Queue } from 'bullmq';

/** Open calls end within a second after their key; calls admitted before write within this time. */
const settledAfterMs = 3000;
const passEveryMs = 500;
/** Two attempts of a dead instance at an unresponsive receiver take 30 s; the first passes may take longer: with many keys, and jobs in queues. */
const passesForMs = 60_000;
const passesMin = 3;
const atOnce = 500;
/** A removal that no instance has worked on for this long is resumed: well beyond the time of one pass over all keys. */
const resumedAfterMs = 300_000;

export interface AccountRemovalOptions {
  redis: Connections;
  accounts: Accounts;
  endings: Endings;
  attempts: AttemptCounter;
  robots: Robots;
  linkMailbox: LinkMailbox;
}

interface Seen {
  webhooks: Set<string>;
  tokenKeys: Set<string>;
}

export interface Removed {
  robots: number;
  keys: number;
  webhooks: number;
}

export interface RemovalOptions {
  settledAfterMs?: number;
  passEveryMs?: number;
  passesForMs?: number;
  resumedAfterMs?: number;
  /** Called in each pass once nobody can use the account: its sessions, keys and webhooks have ended, and its robots are being closed. */
  onRevoked?: () => void;
  /** Stops the removal, which is then resumed elsewhere. */
  signal?: AbortSignal;
}

/** An account whose removal is listed, and the hash of its address. */
interface Listed {
  account: string;
  addressHash: string;
}

export class AccountRemoval {
  readonly #options: AccountRemovalOptions;
  readonly #traces: AccountTraces;

  constructor(options: AccountRemovalOptions) {
    this.#options = options;
    this.#traces = new AccountTraces(options.redis);
  }

  /** Finds an account, also one whose removal was interrupted; null when no account has the address. */
  async find(email: string): Promise<({ account: string } & Removed) | null> {
    const account = await this.#options.accounts.idOf(email);
    if (account === null) return null;
    const { commands } = this.#options.redis;
    const [robots, keys, webhooks] = await guarded(() =>
      Promise.all([
        commands.scard(accountKeys.robots(account)),
        commands.hlen(accountKeys.apiKeys(account)),
        commands.hlen(accountKeys.webhooks(account)),
      ]),
    );
    return { account, robots, keys, webhooks };
  }

  /** Resumes an interrupted removal, so it may be repeated after a StoreError. Returns what was removed; null when no account has the address. */
  async remove(email: string, options: RemovalOptions = {}): Promise<({ account: string } & Removed) | null> {
    const { redis, accounts, attempts } = this.#options;
    const account = await accounts.idOf(email);
    if (account === null) return null;
    const listed = { account, addressHash: emailHash(email) };
    const record = accountKeys.record(account);
    // The list first: a crash in between leaves an entry that changes nothing, not a removal that nobody completes.
    await redis.durably([sharedKeys.accountRemovals(), record], async () => {
      await this.#list(listed, options);
      await redis.script('accountRemove', [record], []);
    });
    await Promise.all([
      attempts.forget('account', email),
      attempts.forget('resetAddress', email),
      attempts.forget('verification', account),
      attempts.forget('code', account),
      attempts.forget('export', account),
    ]);
    return { account, ...(await this.#complete(listed, options)) };
  }

  /**
   * Completes a removal that another instance left. Two instances at once do no harm. Returns the account; null if there is none.
   * @throws {StoreError} as `remove`; the removal stays listed
   */
  async resume(options: RemovalOptions = {}): Promise<string | null> {
    const { commands } = this.#options.redis;
    const now = await guarded(() => redisTimeMs(this.#options.redis));
    const [entry] = await guarded(() => commands.zrangebyscore(sharedKeys.accountRemovals(), '-inf', now, 'LIMIT', 0, 1));
    if (entry === undefined) return null;
    const [account = '', addressHash = ''] = entry.split(' ');
    const [email, removing] = await guarded(() => commands.hmget(accountKeys.record(account), 'email', 'removing'));
    // The instance ended before it marked the account.
    if (typeof email === 'string' && typeof removing !== 'string') await guarded(() => commands.zrem(sharedKeys.accountRemovals(), entry));
    else await this.#complete({ account, addressHash }, options);
    return account;
  }

  async #list({ account, addressHash }: Listed, options: RemovalOptions): Promise<void> {
    const { redis } = this.#options;
    await guarded(async () => {
      const at = (await redisTimeMs(redis)) + (options.resumedAfterMs ?? resumedAfterMs);
      await redis.commands.zadd(sharedKeys.accountRemovals(), at, `${account} ${addressHash}`);
    });
  }

  async #complete(listed: Listed, options: RemovalOptions): Promise<Removed> {
    const { account } = listed;
    const removed: Removed = { robots: 0, keys: 0, webhooks: 0 };
    const seen: Seen = { webhooks: new Set(), tokenKeys: new Set() };
    const began = performance.now();
    // One empty pass is not enough: a job that ends may write behind a pass that no longer finds the job.
    let clean = 0;
    for (let pass = 1; ; pass++) {
      options.signal?.throwIfAborted();
      await this.#list(listed, options);
      const isLate = pass > passesMin && performance.now() - began > (options.passesForMs ?? passesForMs);
      const found = await this.#pass(account, removed, seen, options);
      const tookMs = performance.now() - began;
      clean = found === 0 ? clean + 1 : 0;
      if (clean >= 2 && tookMs >= (options.settledAfterMs ?? settledAfterMs)) break;
      if (isLate && found > 0)
        throw new StoreError('unavailable', 'Work for the account did not end within a minute. Nothing is added to the account; repeat the removal.');
      await sleep(options.passEveryMs ?? passEveryMs);
    }
    await this.#end(listed);
    return removed;
  }

  async #pass(account: string, removed: Removed, seen: Seen, { onRevoked, signal }: RemovalOptions): Promise<number> {
    const { redis, endings } = this.#options;
    for (const id of await guarded(() => redis.commands.hkeys(accountKeys.webhooks(account)))) seen.webhooks.add(id);
    const { counts } = await endings.end({ reason: 'account_removed', account });
    const keys = (counts.key ?? 0) + (counts.grant ?? 0);
    const webhooks = counts.webhook ?? 0;
    const ids: string[] = [];
    const tokens = await this.#unlink([...seen.tokenKeys]);
    let robots = 0;
    for await (const part of scannedSet(this.#options.redis, accountKeys.robots(account))) {
      const sane = part.filter(isRobotId);
      for (const slice of slicesOf(sane, atOnce)) robots += await this.#endRobots(account, slice, seen);
      ids.push(...sane);
    }
    removed.keys += keys;
    removed.webhooks += webhooks;
    removed.robots += robots;
    onRevoked?.();
    const names = new AccountNames(account, [...ids, ...seen.webhooks]);
    const traces = await this.#traces.remove(names, new Set(AccountTraces.keptUntilTheEnd(account)), signal);
    return keys + webhooks + tokens + robots + traces;
  }

  async #unlink(keys: readonly string[]): Promise<number> {
    const { commands } = this.#options.redis;
    let unlinked = 0;
    for (const slice of slicesOf(keys, atOnce)) {
      const counts = await guarded(() => Promise.all(slice.map((key) => commands.unlink(key))));
      unlinked += counts.reduce((sum, count) => sum + count, 0);
    }
    return unlinked;
  }

  async #endRobots(account: string, robots: readonly string[], seen: Seen): Promise<number> {
    const ended = await this.#options.robots.removeListed(account, robots);
    for (const { tokenKey } of ended) if (tokenKey !== null) seen.tokenKeys.add(tokenKey);
    await Promise.all(
      ended.map(async ({ robot, holder }) => {
        if (holder !== null) await this.#options.linkMailbox.send(holder.instance, { t: 'close', robot, session: holder.session, code: 4003 });
      }),
    );
    return ended.length;
  }

  async #end({ account, addressHash }: Listed): Promise<void> {
    const { redis } = this.#options;
    const { commands } = redis;
    const record = accountKeys.record(account);
    const address = sharedKeys.email(addressHash);
    await redis.durably([record, address, sharedKeys.accounts(), sharedKeys.accountRemovals()], async () => {
      await guarded(async () => {
        await Promise.all([
          commands.srem(sharedKeys.accounts(), account),
          commands.srem(sharedKeys.hookedAccounts(), account),
          commands.hdel(sharedKeys.accountActionLimits(), account),
        ]);
        const identity = await commands.hget(record, 'identity');
        const identityKey = identity === null ? null : sharedKeys.identity(identity);
        if (identityKey !== null && (await commands.get(identityKey)) === account) await commands.unlink(identityKey);
        await commands.unlink(...AccountTraces.keptUntilTheEnd(account));
        if ((await commands.get(address)) === account) await commands.unlink(address);
        await commands.zrem(sharedKeys.accountRemovals(), `${account} ${addressHash}`);
      });
    });
  }
}

/** Deletes what no list of a removed account names, by the names of all keys, so that it depends on no list that a crash left incomplete. */
class AccountTraces {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** @param kept the account's keys that stay until its removal ends @returns entries deleted, or belonging to work that has not ended yet */
  async remove(names: AccountNames, kept: ReadonlySet<string>, signal?: AbortSignal): Promise<number> {
    let found = await this.#fromActions(names);
    for await (const keys of scannedKeys(this.#redis)) {
      signal?.throwIfAborted();
      // Sequentially: most keys are decided by name, without a command.
      for (const key of keys) if (!kept.has(key)) found += await this.#removeIfTraceOf(names, key);
    }
    return found;
  }

  async #removeIfTraceOf(names: AccountNames, key: string): Promise<number> {
    const { commands } = this.#redis;
    const job = jobKeyOf(key);
    if (job !== null) return removeJobsOf(this.#redis, names, key, job);
    const tag = /\{([^}]*)\}/.exec(key)?.[1] ?? '';
    if (names.has(tag) || names.in(key)) {
      const removed = await guarded(() => commands.unlink(key));
      // The passes themselves write this mark, to wait for the disk: it is no trace of work for the account.
      return key === sharedKeys.synced(tag) ? 0 : removed;
    }
    if (isRobotId(tag) && key === robotKeys.guests(tag)) return guarded(() => commands.hdel(key, names.account));
    if (isAccountId(tag) && key === accountKeys.shared(tag)) return this.#fromShared(names, key);
    if (/^(?:link|passkey|reset|verification):/.test(tag)) {
      const [account] = (await guarded(() => commands.get(key)))?.split(' ') ?? [];
      return account === names.account ? guarded(() => commands.unlink(key)) : 0;
    }
    if (tag.startsWith('pair:')) return this.#fromPairing(names, key);
    const number = /^media:(\d+)$/.exec(tag)?.[1];
    return number !== undefined && key === sharedKeys.mediaBudget(Number(number)) ? this.#fromMediaBudget(names, Number(number)) : 0;
  }

  async #fromShared(names: AccountNames, key: string): Promise<number> {
    const { commands } = this.#redis;
    const own = (await guarded(() => commands.zrange(key, '0', '-1'))).filter((robot) => names.has(robot));
    return own.length === 0 ? 0 : guarded(() => commands.zrem(key, ...own));
  }

  async #fromPairing(names: AccountNames, key: string): Promise<number> {
    const { commands } = this.#redis;
    const [account, robot, former, userCode] = await guarded(() => commands.hmget(key, 'account', 'robot', 'former', 'user_code'));
    if (account === names.account || names.has(robot ?? '')) {
      await guarded(() => commands.unlink(pairingKeys.userCode(userCode ?? '')));
      return guarded(() => commands.unlink(key));
    }
    return names.has(former ?? '') ? guarded(() => commands.hdel(key, 'former', 'former_hash')) : 0;
  }

  async #fromMediaBudget(names: AccountNames, number: number): Promise<number> {
    const keys = mediaBudgetKeys(number);
    const entries = await guarded(() => this.#redis.commands.zrange(keys[0], '0', '-1'));
    const own = entries.filter((entry) => entry.startsWith(`${names.account}:`));
    for (const entry of own) await this.#redis.script('mediaBudgetRelease', keys, [entry]);
    return own.length;
  }

  /** Gateways write their counts again with the next heartbeat. */
  async #fromActions(names: AccountNames): Promise<number> {
    const { commands } = this.#redis;
    const key = sharedKeys.accountActions();
    const counts = Object.entries(await guarded(() => commands.hgetall(key)));
    const gateways = counts.filter(([, json]) => names.in(json)).map(([gateway]) => gateway);
    return gateways.length === 0 ? 0 : guarded(() => commands.hdel(key, ...gateways));
  }

  static keptUntilTheEnd(account: string): string[] {
    return [accountKeys.record(account), accountKeys.robots(account), accountKeys.apiKeys(account)];
  }
}

/** Keys of a queue that are not jobs; see `keys` of BullMQ's Queue. Additional keys of a job have a colon after its id. */
const noJob =
  /^(?:wait|paused|active|delayed|prioritized|waiting-children|completed|failed|stalled|stalled-check|events|marker|meta|id|pc|limiter|repeat)$|:/;

interface JobKey {
  prefix: string;
  queue: string;
  rest: string;
}

function jobKeyOf(name: string): JobKey | null {
  const [, prefix, queue, rest] = /^(perch:\{jobs(?::[\d.]+)?\}):(render|render-uploads|webhook-notices|webhook-deliveries):(.+)$/.exec(name) ?? [];
  return prefix === undefined ? null : { prefix, queue: queue!, rest: rest! };
}

/** Deletes the account's entries in a key of a queue, and returns how many. Running jobs end by themselves, because their account is gone. */
async function removeJobsOf(redis: Connections, names: AccountNames, name: string, { prefix, queue, rest }: JobKey): Promise<number> {
  const { commands } = redis;
  if (rest === 'events') {
    const entries = await guarded(() => commands.xrange(name, '-', '+'));
    const ids = entries.filter(([, fields]) => fields.some((text) => names.in(text))).map(([id]) => id);
    return ids.length === 0 ? 0 : guarded(() => commands.xdel(name, ...ids));
  }
  if (rest === 'stalled') {
    const jobs = (await guarded(() => commands.smembers(name))).filter((job) => names.in(job));
    return jobs.length === 0 ? 0 : guarded(() => commands.srem(name, ...jobs));
  }
  if (rest.startsWith('de:')) return names.in(rest) ? guarded(() => commands.unlink(name)) : 0;
  if (noJob.test(rest)) return 0;
  if (!names.in(rest) && !isJobOf(names, await guarded(() => commands.hget(name, 'data')))) return 0;
  await removeJob(redis, prefix, queue, rest);
  return 1;
}

/** Compares only the fields that name the owner: other texts are user content and may contain any id. @param data data of a job of any queue */
function isJobOf(names: AccountNames, data: string | null): boolean {
  if (data === null) return false;
  const { account, webhook, robot } = JSON.parse(data) as { account?: unknown; webhook?: unknown; robot?: unknown };
  return [account, webhook, robot].some((id) => typeof id === 'string' && names.has(id));
}

async function removeJob(redis: Connections, prefix: string, queue: string, job: string): Promise<void> {
  const opened = new Queue(queue, { connection: redis.commands, prefix, skipVersionCheck: true, skipMetasUpdate: true });
  opened.on('error', () => {});
  try {
    await opened.remove(job, { removeChildren: false });
  } catch (error) {
    throw asStoreError(error);
  } finally {
    await opened.close();
  }
}

const ids = /[rw]-[0-9a-z]{10}/g;

class AccountNames {
  readonly account: string;
  readonly #owned: ReadonlySet<string>;

  constructor(account: string, owned: Iterable<string>) {
    this.account = account;
    this.#owned = new Set(owned);
  }

  has(id: string): boolean {
    return id === this.account || this.#owned.has(id);
  }

  in(text: string): boolean {
    return text.includes(this.account) || (text.match(ids)?.some((id) => this.#owned.has(id)) ?? false);
  }
}

/** Deletes what no list of a removed account names, by the names of all keys, so that it depends on no list that a crash left incomplete. */
import type { AccountNames } from './account-names.js';
import { jobKeyOf, removeJobsOf } from './account-jobs.js';
import { guarded } from '../redis/guarded.js';
import { isAccountId, isRobotId } from '../ids.js';
import { accountKeys, robotKeys, sharedKeys } from '../keys.js';
import { pairingKeys } from '../pairing-keys.js';
import { scannedKeys } from '../keys/key-scan.js';
import { mediaBudgetKeys } from '../media/media-budget.js';
import type { Connections } from '../redis/connections.js';

export class AccountTraces {
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

/** Limits that the operator sets for one account. Its record has those of robots and keys, which the adding scripts check; one hash has the rates. */
import { StoreError, guarded } from '../redis/errors.js';
import { accountKeys, sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';

/** `default`: the services' settings apply. `none`: unlimited, whatever the settings. */
export type Limit = number | 'none' | 'default';

export interface AccountLimits {
  robots: Limit;
  keys: Limit;
  actionsPerS: Limit;
}

export const limitMax = 1_000_000;

export class LimitsOfAccounts {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  async get(account: string): Promise<AccountLimits> {
    const { commands } = this.#redis;
    const [[robots, keys], actionsPerS] = await guarded(() =>
      Promise.all([commands.hmget(accountKeys.record(account), 'robots_max', 'keys_max'), commands.hget(sharedKeys.accountActionLimits(), account)]),
    );
    return { robots: limitOf(robots), keys: limitOf(keys), actionsPerS: limitOf(actionsPerS) };
  }

  /** Sets the given limits; ones below the current number remove nothing. @returns false, with nothing set, when there is no such account */
  async set(account: string, { robots, keys, actionsPerS }: Partial<AccountLimits>): Promise<boolean> {
    const record = accountKeys.record(account);
    const shared = sharedKeys.accountActionLimits();
    const { commands } = this.#redis;
    const args = [robots, keys].map((limit) => (limit === undefined ? 'kept' : String(limit)));
    return this.#redis.durably([record, shared], async () => {
      if ((await this.#redis.script('accountLimits', [record], args)) === 0) return false;
      if (actionsPerS === 'default') await guarded(() => commands.hdel(shared, account));
      else if (actionsPerS !== undefined) await guarded(() => commands.hset(shared, account, actionsPerS));
      return true;
    });
  }
}

export function limitOf(text: string | null | undefined): Limit {
  if (text === null || text === undefined) return 'default';
  return text === 'none' ? 'none' : Number(text);
}

/** Returns the error for a reply of robot-bind.lua or key-list.lua; null when it added the robot or key. @param advice what the owner can do */
export function refusalOf(reply: string, what: 'robots' | 'keys', advice: string): StoreError | null {
  const [outcome, max] = reply.split(' ');
  if (outcome === 'full') return new StoreError('full', `An account holds at most ${max} ${what}. ${advice}`);
  if (outcome === 'limited') return new StoreError('full', `This account is limited to ${max} ${what}. ${advice}`);
  return outcome === 'removing' ? accountRemoved() : null;
}

export function accountRemoved(): StoreError {
  return new StoreError('full', 'This account is being removed.');
}

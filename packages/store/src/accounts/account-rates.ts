/**
 * Limits the actions of all keys of an account together, approximately and without a Redis command per action: with its heartbeat, each gateway
 * writes the counts of its busiest accounts and reads the others'. It admits the larger of what they leave free and its share of the demand; shares
 * add up to the limit, so gateways neither starve nor alternate. Until the first exchange each admits up to the limit; each allows a burst of one
 * second.
 */
import { limitOf } from './account-limits.js';
import type { RedisClock } from '../instances/clock.js';
import { guarded } from '../redis/errors.js';
import type { Instances } from '../instances/instances.js';
import { sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { slicesOf } from '../redis/scans.js';

const sharedAccountsMax = 200;
/** Age at which the counts of another gateway are ignored, ms. */
const staleMs = 5000;
const keptMs = 60_000;
const retryAfterMaxS = 10;
const rememberedMs = 60_000;
const readAtOnce = 500;

interface AccountUsage {
  /** Actions that may be admitted now; negative after calls that cost more than were left. */
  tokens: number;
  allowed: number;
  admitted: number;
  refused: number;
}

interface KnownLimit {
  /** Actions a second, 0 for unlimited; null: the account has no limit of its own. */
  perS: number | null;
  usedAt: number;
}

type Rates = Record<string, [number, number]>;

export class AccountRates {
  readonly #redis: Connections;
  readonly #clock: RedisClock;
  readonly #instance: string;
  readonly #accounts = new Map<string, AccountUsage>();
  readonly #known = new Map<string, KnownLimit>();
  #others = new Map<string, { admitted: number; wanted: number }>();
  #perS = 0;
  #exchangedAt = 0;

  constructor(redis: Connections, clock: RedisClock, instances: Instances, instance: string) {
    this.#redis = redis;
    this.#clock = clock;
    this.#instance = instance;
    instances.withBeat(() => this.#exchange());
  }

  limit(perS: number): void {
    this.#perS = perS;
    this.#exchangedAt = performance.now();
  }

  loadLimit(account: string): Promise<void> | null {
    const known = this.#known.get(account);
    if (known !== undefined) {
      known.usedAt = performance.now();
      return null;
    }
    return guarded(async () => {
      this.#note(account, await this.#redis.commands.hget(sharedKeys.accountActionLimits(), account), performance.now());
    });
  }

  boundOf(account: string): number {
    return this.#known.get(account)?.perS ?? this.#perS;
  }

  retryAfterS(account: string, cost: number): number | null {
    const perS = this.boundOf(account);
    if (perS === 0 || cost === 0) return null;
    const { tokens, allowed } = this.#of(account, perS);
    const missing = Math.min(cost, perS) - tokens;
    return missing <= 0 ? null : Math.min(retryAfterMaxS, Math.max(1, Math.ceil(missing / Math.max(allowed, perS / retryAfterMaxS))));
  }

  count(account: string, cost: number, admitted: boolean): void {
    const perS = this.boundOf(account);
    if (perS === 0 || cost === 0) return;
    const spent = this.#of(account, perS);
    if (!admitted) {
      spent.refused += cost;
      return;
    }
    spent.admitted += cost;
    spent.tokens -= cost;
  }

  #note(account: string, limit: string | null | undefined, usedAt: number): void {
    const own = limitOf(limit);
    this.#known.set(account, { perS: own === 'default' ? null : own === 'none' ? 0 : own, usedAt });
  }

  async #refreshLimits(): Promise<void> {
    const since = performance.now() - rememberedMs;
    for (const [account, { usedAt }] of this.#known) if (usedAt < since) this.#known.delete(account);
    for (const accounts of slicesOf([...this.#known.keys()], readAtOnce)) {
      const limits = await guarded(() => this.#redis.commands.hmget(sharedKeys.accountActionLimits(), ...accounts));
      for (const [i, account] of accounts.entries()) this.#note(account, limits[i], this.#known.get(account)?.usedAt ?? since);
    }
  }

  #of(account: string, perS: number): AccountUsage {
    let spent = this.#accounts.get(account);
    if (spent === undefined) {
      spent = { tokens: perS, allowed: Math.max(0, perS - (this.#others.get(account)?.admitted ?? 0)), admitted: 0, refused: 0 };
      this.#accounts.set(account, spent);
    }
    return spent;
  }

  async #exchange(): Promise<void> {
    await this.#refreshLimits();
    const now = performance.now();
    if (this.#accounts.size === 0 && this.#perS === 0) {
      this.#exchangedAt = now;
      return;
    }
    const seconds = Math.max(0.1, (now - this.#exchangedAt) / 1000);
    this.#exchangedAt = now;
    const own = this.#settle(seconds);
    const { commands } = this.#redis;
    const key = sharedKeys.accountActions();
    const mine = JSON.stringify({ at: Math.floor(this.#clock.now()), rates: own });
    const [, , all] = await guarded(() =>
      Promise.all([commands.hset(key, this.#instance, mine), commands.pexpire(key, keptMs), commands.hgetall(key)]),
    );
    await this.#readOthers(all);
    for (const [account, spent] of this.#accounts) {
      const others = this.#others.get(account) ?? { admitted: 0, wanted: 0 };
      const wanted = own[account]?.[1] ?? 0;
      const perS = this.boundOf(account);
      const share = wanted + others.wanted === 0 ? perS : (perS * wanted) / (wanted + others.wanted);
      spent.allowed = Math.max(perS - others.admitted, share, 0);
    }
  }

  #settle(seconds: number): Rates {
    const busy: [string, [number, number]][] = [];
    for (const [account, spent] of this.#accounts) {
      const { admitted, refused, allowed } = spent;
      const perS = this.boundOf(account);
      spent.tokens = Math.min(perS, spent.tokens + allowed * seconds);
      if (admitted + refused > 0) busy.push([account, [admitted / seconds, (admitted + refused) / seconds]]);
      else if (spent.tokens >= perS) this.#accounts.delete(account);
      Object.assign(spent, { admitted: 0, refused: 0 });
    }
    return Object.fromEntries(busy.toSorted(([, a], [, b]) => b[1] - a[1]).slice(0, sharedAccountsMax));
  }

  async #readOthers(all: Record<string, string>): Promise<void> {
    const since = this.#clock.now() - staleMs;
    const others = new Map<string, { admitted: number; wanted: number }>();
    const gone: string[] = [];
    for (const [instance, json] of Object.entries(all)) {
      if (instance === this.#instance) continue;
      const counts = this.#redis.forms.read<{ at: number; rates: Rates }>('account_actions', json);
      if (counts === null) continue;
      const { at, rates } = counts;
      if (at < since) gone.push(instance);
      else
        for (const [account, [admitted, wanted]] of Object.entries(rates)) {
          const sum = others.get(account) ?? { admitted: 0, wanted: 0 };
          others.set(account, { admitted: sum.admitted + admitted, wanted: sum.wanted + wanted });
        }
    }
    this.#others = others;
    if (gone.length > 0) await guarded(() => this.#redis.commands.hdel(sharedKeys.accountActions(), ...gone));
  }
}

/**
 * Bounds the actions of all keys of an account together, approximately and without a Redis command in any action.
 *
 * Each gateway counts the actions it admitted and refused, writes its busiest accounts beside its heartbeat and reads those of the others. It
 * admits the larger of what the others leave free and its share of the demand; shares add up to the bound, so that gateways neither starve nor
 * take turns. Until the first exchange each gateway admits up to the bound by itself, and each takes a burst of one second.
 */
import type { RedisClock } from './clock.js';
import { guarded } from './guarded.js';
import type { Instances } from './instances.js';
import { sharedKeys } from './keys.js';
import type { Connections } from './redis.js';

/** Accounts that a gateway shares counts of: those with the most actions. */
const sharedAccountsMax = 200;
/** Counts of a gateway that are older say nothing, ms. */
const staleMs = 5000;
const keptMs = 60_000;
const retryAfterMaxS = 10;

interface Spent {
  /** Actions that may be admitted now; negative after calls that cost more than there was. */
  tokens: number;
  /** Tokens a second. */
  allowed: number;
  /** Of the interval that runs. */
  admitted: number;
  refused: number;
}

/** Actions a second: admitted, wanted. */
type Rates = Record<string, [number, number]>;

export class AccountRates {
  readonly #redis: Connections;
  readonly #clock: RedisClock;
  readonly #instance: string;
  readonly #accounts = new Map<string, Spent>();
  #others = new Map<string, { admitted: number; wanted: number }>();
  #perS = 0;
  #exchangedAt = 0;

  constructor(redis: Connections, clock: RedisClock, instances: Instances, instance: string) {
    this.#redis = redis;
    this.#clock = clock;
    this.#instance = instance;
    instances.withBeat(() => this.#exchange());
  }

  /** Sets the bound, actions a second; 0 is none. */
  limit(perS: number): void {
    this.#perS = perS;
    this.#exchangedAt = performance.now();
  }

  /** Returns in how many seconds the account may do this many actions, or null when it may now. Takes nothing. */
  retryAfterS(account: string, cost: number): number | null {
    if (this.#perS === 0 || cost === 0) return null;
    const { tokens, allowed } = this.#of(account);
    const missing = Math.min(cost, this.#perS) - tokens;
    return missing <= 0 ? null : Math.min(retryAfterMaxS, Math.max(1, Math.ceil(missing / Math.max(allowed, this.#perS / retryAfterMaxS))));
  }

  /** Counts actions of a valid key. */
  count(account: string, cost: number, admitted: boolean): void {
    if (this.#perS === 0 || cost === 0) return;
    const spent = this.#of(account);
    if (!admitted) {
      spent.refused += cost;
      return;
    }
    spent.admitted += cost;
    spent.tokens -= cost;
  }

  #of(account: string): Spent {
    let spent = this.#accounts.get(account);
    if (spent === undefined) {
      spent = { tokens: this.#perS, allowed: Math.max(0, this.#perS - (this.#others.get(account)?.admitted ?? 0)), admitted: 0, refused: 0 };
      this.#accounts.set(account, spent);
    }
    return spent;
  }

  /** Refills, and exchanges counts with the other gateways. */
  async #exchange(): Promise<void> {
    if (this.#perS === 0) return;
    const now = performance.now();
    const seconds = Math.max(0.1, (now - this.#exchangedAt) / 1000);
    this.#exchangedAt = now;
    const own = this.#settle(seconds);
    const { commands } = this.#redis;
    const key = sharedKeys.accountActions();
    const mine = JSON.stringify({ at: Math.floor(this.#clock.now()), rates: own });
    const [, , all] = await guarded(() =>
      Promise.all([commands.hset(key, this.#instance, mine), commands.pexpire(key, keptMs), commands.hgetall(key)]),
    );
    await this.#learn(all);
    for (const [account, spent] of this.#accounts) {
      const others = this.#others.get(account) ?? { admitted: 0, wanted: 0 };
      const wanted = own[account]?.[1] ?? 0;
      const share = wanted + others.wanted === 0 ? this.#perS : (this.#perS * wanted) / (wanted + others.wanted);
      spent.allowed = Math.max(this.#perS - others.admitted, share, 0);
    }
  }

  /** Ends the interval. @returns the rates of the busiest accounts in it */
  #settle(seconds: number): Rates {
    const busy: [string, [number, number]][] = [];
    for (const [account, spent] of this.#accounts) {
      const { admitted, refused, allowed } = spent;
      spent.tokens = Math.min(this.#perS, spent.tokens + allowed * seconds);
      if (admitted + refused > 0) busy.push([account, [admitted / seconds, (admitted + refused) / seconds]]);
      else if (spent.tokens >= this.#perS) this.#accounts.delete(account);
      Object.assign(spent, { admitted: 0, refused: 0 });
    }
    return Object.fromEntries(busy.toSorted(([, a], [, b]) => b[1] - a[1]).slice(0, sharedAccountsMax));
  }

  async #learn(all: Record<string, string>): Promise<void> {
    const since = this.#clock.now() - staleMs;
    const others = new Map<string, { admitted: number; wanted: number }>();
    const gone: string[] = [];
    for (const [instance, json] of Object.entries(all)) {
      if (instance === this.#instance) continue;
      const { at, rates } = JSON.parse(json) as { at: number; rates: Rates };
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

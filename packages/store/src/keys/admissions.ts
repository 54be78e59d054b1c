/** Admits all calls of one event-loop iteration with one command; on a Cluster, where the keys lie on several nodes, one command each. */
import { limits } from '@perch/schema';
import { apiKeyRecord } from '../keys.js';
import type { Connections } from '../redis/connections.js';

const { depth, perS } = limits.bucket;
const intervalUs = 1_000_000 / perS;
/** Calls per script, during which Redis does nothing else. */
const atOnceMax = 64;

export interface Caller {
  keyHash: string;
  /** Both '' if the call names no robot. */
  robot: string;
  account: string;
  cost: number;
  /** Letters of the scopes that the call needs (key-scopes.ts). */
  needs: string;
}

interface Waiting {
  caller: Caller;
  replied(reply: string): void;
  failed(error: unknown): void;
}

export class Admissions {
  readonly #redis: Connections;
  #waiting: Waiting[] = [];

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** Resolves to the reply of key-admit.lua for this call (`ApiKeys` parses it). */
  admit(caller: Caller): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) this.#redis.batcher.enqueue(() => this.#admitAll());
      this.#waiting.push({ caller, replied: resolve, failed: reject });
    });
  }

  #admitAll(): void {
    const all = this.#waiting;
    this.#waiting = [];
    const atOnce = this.#redis.isCluster ? 1 : atOnceMax;
    for (let at = 0; at < all.length; at += atOnce) void this.#admitSome(all.slice(at, at + atOnce));
  }

  async #admitSome(some: readonly Waiting[]): Promise<void> {
    const keys: string[] = [];
    const args: (string | number)[] = [depth, intervalUs];
    for (const { caller } of some) {
      keys.push(apiKeyRecord(caller.keyHash));
      args.push(`${caller.cost}${caller.needs} ${caller.robot} ${caller.account}`);
    }
    try {
      const replies = await this.#redis.script('keyAdmit', keys, args);
      for (const [i, waiting] of some.entries()) waiting.replied(replies[i]!);
    } catch (error) {
      for (const waiting of some) waiting.failed(error);
    }
  }
}

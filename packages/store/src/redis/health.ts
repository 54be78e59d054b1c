/**
 * Whether Redis takes the writes of this instance. A server that became a replica, or whose disk is full, still answers reads, and the service lives by
 * writes: each instance makes one a second on every master.
 */
import { asStoreError, isUnanswered, plainly } from './errors.js';
import { sharedKeys } from './keys.js';
import { numberBeside, numbersOfMasters } from './cluster-nodes.js';
import type { Connections } from './connections.js';
import { refusalOf } from './refused.js';

const keptMs = 60_000;
/** Beats in a row without a write after which the instance is not ready. A stall of 2 s makes two fail. */
const failedMax = 3;
/** Time between two writes from which on a master counts as not having served this instance meanwhile: its heartbeat is then late, too. */
const unservedMs = 3000;
/** It takes a pass over all slots. */
const mastersForMs = 5000;

type Outcome = Error | null;

export class RedisHealth {
  readonly #connections: Connections;
  readonly #instance: string;
  #masters: number[] = [];
  #mastersAt = -Infinity;
  /** By the key that is written on the master: the last write, and the first one after the last break; performance.now(). */
  readonly #served = new Map<string, { at: number; since: number }>();
  /** Beats in a row. */
  #unwritten = 0;
  #unsubscribed = 0;
  #problem = '';

  constructor(connections: Connections, instance: string) {
    this.#connections = connections;
    this.#instance = instance;
  }

  /** Returns why no master took the write of this beat; null if one did, or refused it for a reason that another write need not meet. Never rejects. */
  async beat(): Promise<Error | null> {
    const { subscriber, vitals } = this.#connections;
    const outcomes = await Promise.all(this.#keys().map((key) => this.#write(key)));
    vitals.isUp = outcomes.length > 0 && outcomes.every((outcome) => outcome === null || isFull(outcome));
    this.#unsubscribed = subscriber.connected ? 0 : this.#unsubscribed + 1;
    const isServed = outcomes.some((outcome) => outcome === null || isFull(outcome) || isNotPermitted(outcome));
    this.#unwritten = isServed ? 0 : this.#unwritten + 1;
    if (isServed) {
      vitals.problem = null;
      return null;
    }
    const error = outcomes[0] ?? new Error('no master of the Redis Cluster is known');
    this.#problem = isUnanswered(error) ? (vitals.problem ?? plainly(error.message)) : error.message;
    return asStoreError(error) as Error;
  }

  /** Returns why this instance cannot serve, or null. A single failed beat is none: load balancers would send its clients elsewhere, to the same Redis. */
  trouble(): string | null {
    if (this.#unwritten >= failedMax) return `Redis did not take the last ${this.#unwritten} writes of this instance: ${this.#problem}`;
    if (this.#unsubscribed >= failedMax) return 'The subscriber connection to Redis is down.';
    return null;
  }

  /** Returns for how long the master of a key has served this instance without a break: 0 in a break, Infinity if there was none. */
  servedForMs(key: string): number {
    const number = numberBeside(this.#connections.commands, key, sharedKeys.written);
    const served = number === null ? undefined : this.#served.get(sharedKeys.written(number));
    if (served === undefined) return Infinity;
    const now = performance.now();
    return now - served.at > unservedMs ? 0 : now - served.since;
  }

  #keys(): string[] {
    if (performance.now() - this.#mastersAt > mastersForMs || this.#masters.length === 0) {
      this.#masters = numbersOfMasters(this.#connections.commands, sharedKeys.written);
      this.#mastersAt = performance.now();
    }
    return this.#masters.map(sharedKeys.written);
  }

  async #write(key: string): Promise<Outcome> {
    try {
      await this.#connections.commands.set(key, this.#instance, 'PX', keptMs);
      this.#noteServed(key);
      return null;
    } catch (error) {
      if (isFull(error as Error)) this.#noteServed(key);
      return error as Error;
    }
  }

  #noteServed(key: string): void {
    const at = performance.now();
    const before = this.#served.get(key);
    const since = before === undefined ? -Infinity : at - before.at > unservedMs ? at : before.since;
    this.#served.set(key, { at, since });
  }
}

/** Reads, and writes that take no room, are served. */
function isFull(error: Error): boolean {
  return refusalOf(error) === 'OOM';
}

/** The users of Redis were changed: other instances meet the same, so that none is better placed. */
function isNotPermitted(error: Error): boolean {
  return refusalOf(error) === 'NOPERM';
}

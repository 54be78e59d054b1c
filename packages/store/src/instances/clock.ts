/** Redis' time on this instance's monotonic clock. All instances agree on it to a few ms, whatever their system clocks show. */
import { mastersOf } from '../redis/cluster-nodes.js';
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/errors.js';

/** Round trip of a usable sync; the clock's error is at most half of it. */
const slowMs = 100;
const quickMs = 5;

export class RedisClock {
  readonly #connections: Connections;
  /** Redis ms minus performance.now(). */
  #offset: number | null = null;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  now(): number {
    if (this.#offset === null) throw new Error('the clock was read before its first sync');
    return this.#offset + performance.now();
  }

  /** Subtracts half of the round trip. Once the clock is set, a slow reply (a stalled process) is ignored. */
  async sync(): Promise<void> {
    if (this.#offset === null) return this.#set();
    const { offset, tookMs } = await this.#read();
    if (tookMs <= slowMs) this.#offset = offset;
  }

  /** A starting process is busy, so the fastest of several replies is used. */
  async #set(): Promise<void> {
    let best = await this.#read();
    for (let again = 0; again < 4 && best.tookMs > quickMs; again += 1) {
      const next = await this.#read();
      if (next.tookMs < best.tookMs) best = next;
    }
    this.#offset = best.offset;
  }

  async #read(): Promise<{ offset: number; tookMs: number }> {
    const before = performance.now();
    const { commands, vitals } = this.#connections;
    // A Cluster goes on without the nodes that do not answer.
    const time = await guarded(() => firstOf(mastersOf(commands).map((node) => node.time())));
    const after = performance.now();
    vitals.answered(after - before);
    const [seconds, micros] = time;
    return { offset: Number(seconds) * 1000 + Number(micros) / 1000 - (before + after) / 2, tookMs: after - before };
  }
}

/** @throws the first error if all fail */
async function firstOf<T>(all: Promise<T>[]): Promise<T> {
  try {
    return await Promise.any(all);
  } catch (error) {
    throw (error as AggregateError).errors[0] ?? new Error('no master of the Redis Cluster is known');
  }
}

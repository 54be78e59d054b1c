/**
 * Redis' time on this instance's monotonic clock. All instances agree on it to a few ms, whatever their own clocks say;
 * `Date.now()` decides nothing. Set again by every heartbeat.
 */
import type { Connections } from '../redis/connections.js';
import { guarded } from '../redis/guarded.js';

/** The clock is wrong by at most half of what an answer took. */
const slowMs = 100;
const quickMs = 5;

export class RedisClock {
  readonly #connections: Connections;
  /** Redis ms minus performance.now(). */
  #offset: number | null = null;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Redis time, ms since 1970. */
  now(): number {
    if (this.#offset === null) throw new Error('the clock was read before its first sync');
    return this.#offset + performance.now();
  }

  /** Reads Redis' time; the half of the round trip is taken off. A slow answer (a stalled process) changes nothing once the clock is set. */
  async sync(): Promise<void> {
    if (this.#offset === null) return this.#set();
    const { offset, tookMs } = await this.#read();
    if (tookMs <= slowMs) this.#offset = offset;
  }

  /** A process that starts is busy: the quickest of a few answers is the one to believe. */
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
    let time: Awaited<ReturnType<typeof commands.time>>;
    try {
      time = await guarded(() => commands.time());
    } catch (error) {
      vitals.failed();
      throw error;
    }
    const after = performance.now();
    vitals.answered(after - before);
    const [seconds, micros] = time;
    return { offset: Number(seconds) * 1000 + Number(micros) / 1000 - (before + after) / 2, tookMs: after - before };
  }
}

/**
 * Redis' time on this instance's monotonic clock. All instances agree on it to a few ms, whatever their own clocks say;
 * `Date.now()` decides nothing. Set again by every heartbeat.
 */
import type { Connections } from './redis.js';
import { guarded } from './guarded.js';

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
    const before = performance.now();
    const [seconds, micros] = await guarded(() => this.#connections.commands.time());
    const after = performance.now();
    if (this.#offset !== null && after - before > 100) return;
    this.#offset = Number(seconds) * 1000 + Number(micros) / 1000 - (before + after) / 2;
  }
}

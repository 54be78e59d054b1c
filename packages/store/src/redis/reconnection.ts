/**
 * Replaces all connections of an instance when a server refuses as one that is no master. Behind one address (a primary endpoint, a Service, a proxy) a
 * demoted server keeps its clients, and behind Sentinels a paused one does: the subscriber of this instance would stay there and hear nothing.
 */
import { Cluster, type Redis } from 'ioredis';
import { StoreError } from './errors.js';
import { isNoMaster } from './refused.js';

const periodMs = 1000;
/** Spreads the connections of many instances. It also leaves room for the refusals that follow in the same packet. */
const jitterMs = 250;

export class Reconnection {
  readonly #connections = new Set<Redis>();
  readonly #onError: (error: Error) => void;
  #timer: NodeJS.Timeout | null = null;
  #lastAt = -Infinity;

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  /** A Cluster has other ways: its client asks which node is the master, and replaces the connection to that node alone (`connection-factory.ts`). */
  watch(connection: Redis | Cluster): void {
    if (connection instanceof Cluster) return;
    connection.on('connect', () => this.#connections.add(connection));
    connection.on('end', () => this.#connections.delete(connection));
  }

  /** Call it with each refusal on any of the connections. The refused command is not sent again. */
  refused(error: Error): void {
    if (this.#timer !== null || !isNoMaster(error)) return;
    const waitMs = Math.max(0, this.#lastAt + periodMs - performance.now()) + Math.random() * jitterMs;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#lastAt = performance.now();
      this.#onError(new StoreError('unavailable', `Redis is not the master here: all connections are replaced. It answered: ${error.message}`));
      for (const { status, stream } of this.#connections) if (status === 'ready' || status === 'connect') stream.destroy();
    }, waitMs).unref();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}

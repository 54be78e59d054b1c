/** Corks sockets: all writes of an event-loop iteration leave in one system call. ioredis' pipelines take twice the CPU (docs/performance.md). */
import type { Socket } from 'node:net';
import { Cluster, type Redis } from 'ioredis';
import type { TickBatcher } from './tick-batcher.js';

export class WriteBatching {
  readonly #batcher: TickBatcher;
  readonly #sockets = new Set<Socket>();
  #corked = false;

  constructor(connection: Redis | Cluster, batcher: TickBatcher) {
    this.#batcher = batcher;
    if (connection instanceof Cluster) connection.on('+node', (node: Redis) => this.#watch(node));
    else this.#watch(connection);
  }

  cork(): void {
    if (this.#corked) return;
    this.#corked = true;
    for (const socket of this.#sockets) socket.cork();
    this.#batcher.flushLast(() => this.#uncork());
  }

  #uncork(): void {
    this.#corked = false;
    for (const socket of this.#sockets) socket.uncork();
  }

  #watch(node: Redis): void {
    node.on('connect', () => {
      const socket: Socket = node.stream;
      this.#sockets.add(socket);
      // A socket that connects meanwhile is uncorked with the others.
      if (this.#corked) socket.cork();
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }
}

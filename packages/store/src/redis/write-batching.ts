/**
 * The sockets under a connection, one a node. What is written to them within one turn of the event loop leaves in one system call,
 * and Redis reads it as one pipeline; ioredis' own pipelines do the same for twice the CPU (docs/performance.md).
 */
import type { Socket } from 'node:net';
import { Cluster, type Redis } from 'ioredis';
import type { Turn } from './tick-batcher.js';

export class CorkedLines {
  readonly #turn: Turn;
  readonly #sockets = new Set<Socket>();
  #corked = false;

  constructor(connection: Redis | Cluster, turn: Turn) {
    this.#turn = turn;
    if (connection instanceof Cluster) connection.on('+node', (node: Redis) => this.#watch(node));
    else this.#watch(connection);
  }

  /** Holds back what is written from now on to the end of this turn. To be called before each command that may wait for others. */
  cork(): void {
    if (this.#corked) return;
    this.#corked = true;
    for (const socket of this.#sockets) socket.cork();
    this.#turn.atLast(() => this.#uncork());
  }

  #uncork(): void {
    this.#corked = false;
    for (const socket of this.#sockets) socket.uncork();
  }

  #watch(node: Redis): void {
    node.on('connect', () => {
      const socket: Socket = node.stream;
      this.#sockets.add(socket);
      // One that comes within a turn that holds back is uncorked with the others.
      if (this.#corked) socket.cork();
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }
}

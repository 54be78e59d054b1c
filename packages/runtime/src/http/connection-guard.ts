/**
 * Limits the connections of an HTTP server, so that clients cannot use up the file handles of the process: without a free handle everything fails,
 * /readyz included, without an error message.
 *
 * When the limit is reached, connections are closed for new ones in this order, from the networks that have the most of them and the oldest first:
 * idle ones (no request in progress), then those whose request has not arrived completely or whose answer is not being read.
 * A connection whose request the service is processing, or an upgraded one, is never closed; if there are only such connections, the new one is refused.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork } from './client-address.js';

/** `idle`: no request in progress. `unfinished`: request half sent, or answer not read. `refused`: the new connection, because all others are in use. */
export const closeReasons = ['idle', 'unfinished', 'refused'] as const;
export type CloseReason = (typeof closeReasons)[number];

export interface ConnectionGuardOptions {
  server: Server;
  connectionsMax: number;
  onClosed?: (reason: CloseReason, network: string) => void;
}

/** One 256th of the limit is closed at a time, so that an attacker cannot cause a scan of all connections with each new connection. */
const closedShare = 256;
/** How long new connections are refused without another scan after all connections were found in use, ms. */
const rescanMs = 100;

export class ConnectionGuard {
  readonly #connectionsMax: number;
  readonly #onClosed: (reason: CloseReason, network: string) => void;
  /** Null: upgraded. Such a connection is never closed, and costs no more than its place here. */
  readonly #connections = new Map<Socket, Connection | null>();
  /** Shared by all sockets, so that a connection costs no closure of its own. */
  readonly #onClose: (this: Socket) => void;
  #allInUseUntil = 0;

  constructor({ server, connectionsMax, onClosed = () => {} }: ConnectionGuardOptions) {
    this.#connectionsMax = connectionsMax;
    this.#onClosed = onClosed;
    const connections = this.#connections;
    this.#onClose = function onClose() {
      connections.delete(this);
    };
    server.on('connection', (socket) => this.#open(socket));
    const begin = (request: IncomingMessage, response: ServerResponse): void => this.#connections.get(request.socket)?.begin(request, response);
    for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) server.prependListener(event, begin);
    watchUpgrades(server, (socket) => {
      if (this.#connections.has(socket)) this.#connections.set(socket, null);
    });
  }

  get size(): number {
    return this.#connections.size;
  }

  #open(socket: Socket): void {
    const connection = new Connection(socket, clientNetwork(socket.remoteAddress ?? ''));
    this.#connections.set(socket, connection);
    socket.on('close', this.#onClose);
    if (this.#connections.size > this.#connectionsMax && !this.#makeRoomFor(connection)) this.#close(connection, 'refused');
  }

  #makeRoomFor(fresh: Connection): boolean {
    const now = performance.now();
    if (now < this.#allInUseUntil) return false;
    const count = Math.max(this.#connections.size - this.#connectionsMax, Math.floor(this.#connectionsMax / closedShare));
    const all = [...this.#connections.values()].filter((connection) => connection !== null);
    for (const reason of ['idle', 'unfinished'] as const) {
      const chosen = choose(
        all.filter((connection) => connection !== fresh && connection.is(reason)),
        count,
      );
      for (const connection of chosen) this.#close(connection, reason);
      if (chosen.length > 0) return true;
    }
    this.#allInUseUntil = now + rescanMs;
    return false;
  }

  #close({ socket, network }: Connection, reason: CloseReason): void {
    this.#connections.delete(socket);
    socket.destroy();
    this.#onClosed(reason, network);
  }
}

class Connection {
  readonly socket: Socket;
  readonly network: string;
  /** When the connection last became idle; performance.now(). */
  since = performance.now();
  /** Requests in progress with their responses; more than one if the client pipelines. */
  readonly #exchanges: { request: IncomingMessage; response: ServerResponse }[] = [];

  constructor(socket: Socket, network: string) {
    this.socket = socket;
    this.network = network;
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const exchange = { request, response };
    this.#exchanges.push(exchange);
    response.once('close', () => {
      this.#exchanges.splice(this.#exchanges.indexOf(exchange), 1);
      this.since = performance.now();
    });
  }

  is(reason: 'idle' | 'unfinished'): boolean {
    return reason === 'idle'
      ? this.#exchanges.length === 0
      : this.#exchanges.every(({ request, response }) => !request.complete || response.writableEnded);
  }
}

/** Chooses up to `count` connections from the largest networks, so that these are left with equal numbers; of each network the oldest. */
function choose(connections: readonly Connection[], count: number): Connection[] {
  const byNetwork = new Map<string, Connection[]>();
  for (const connection of connections) {
    const same = byNetwork.get(connection.network);
    if (same === undefined) byNetwork.set(connection.network, [connection]);
    else same.push(connection);
  }
  const networks = [...byNetwork.values()].toSorted((a, b) => b.length - a.length);
  const above = (level: number): number => networks.reduce((sum, { length }) => sum + Math.max(0, length - level), 0);
  // Finds the highest level above which there are enough connections.
  let [low, high] = [0, networks[0]?.length ?? 0];
  while (low < high) {
    const level = Math.ceil((low + high) / 2);
    if (above(level) >= count) low = level;
    else high = level - 1;
  }
  const chosen: Connection[] = [];
  for (const network of networks) {
    const left = Math.min(network.length - low, count - chosen.length);
    if (left <= 0) break;
    chosen.push(...network.toSorted((a, b) => a.since - b.since).slice(0, left));
  }
  return chosen;
}

/**
 * Calls back for every upgraded connection of a server that has an 'upgrade' listener, now or later.
 * Node answers upgrade requests as ordinary requests while there is no listener; if this were the only listener, they would stay unanswered.
 */
function watchUpgrades(server: Server, upgraded: (socket: Socket) => void): void {
  const watch = (): unknown => server.prependListener('upgrade', ({ socket }: IncomingMessage) => upgraded(socket));
  if (server.listenerCount('upgrade') > 0) {
    watch();
    return;
  }
  const added = (event: string | symbol): void => {
    if (event !== 'upgrade') return;
    server.off('newListener', added);
    watch();
  };
  server.on('newListener', added);
}

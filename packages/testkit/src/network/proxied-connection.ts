/** One connection through a `TcpProxy`: two sockets, and the network conditions between them. */
import { connect, type Socket } from 'node:net';
import { HalfConnection, reset } from './half-connection.js';

export type Direction = 'to_server' | 'to_client' | 'both';

/** Network conditions of a connection. Without any, bytes pass unchanged. */
export interface NetworkConditions {
  /** Drops bytes, ends and resets of this direction, as on a half-open connection. The stream then has a gap: cut the connection afterwards. */
  readonly drop?: Direction;
  /** Holds everything back until the conditions change; then it is delivered in order, as after a network partition. */
  readonly hold?: Direction;
  /** Delays each chunk by a uniformly distributed time; keeps the order. */
  readonly delayMs?: readonly [min: number, max: number];
  /** Maximum chunk size; each chunk is a segment of its own. */
  readonly chunkBytes?: number;
}

/** Random numbers for delays, in [0, 1). */
export type Chance = () => number;

export class ProxiedConnection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #halves: readonly [HalfConnection, HalfConnection];

  constructor(client: Socket, target: { host: string; port: number }, chance: Chance, closed: () => void) {
    this.#client = client;
    // allowHalfOpen: HalfConnection forwards ends itself, or drops them.
    this.#server = connect({ ...target, noDelay: true, allowHalfOpen: true });
    client.setNoDelay(true);
    this.#halves = [new HalfConnection(client, this.#server, 'to_server', chance), new HalfConnection(this.#server, client, 'to_client', chance)];
    let open = 2;
    for (const socket of [client, this.#server]) {
      socket.on('close', () => {
        open -= 1;
        if (open === 0) closed();
      });
    }
  }

  set conditions(conditions: NetworkConditions) {
    for (const half of this.#halves) half.conditions = conditions;
  }

  /** Resets both sockets. */
  cut(): void {
    for (const half of this.#halves) half.forget();
    for (const socket of [this.#client, this.#server]) reset(socket);
  }
}

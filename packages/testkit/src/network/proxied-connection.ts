/** One connection through a `TcpProxy`: two sockets, and what happens to the bytes between them. */
import { connect, type Socket } from 'node:net';
import { LineHalf, reset } from './half-connection.js';

export type Direction = 'to_server' | 'to_client' | 'both';

/** What befalls the bytes of a line. Nothing named: they pass. */
export interface Weather {
  /** Bytes, ends and resets of this direction vanish, as on a half-open line. A line that lost something stays broken: cut it afterwards. */
  readonly swallow?: Direction;
  /** Nothing passes until the weather changes; then all of it comes, in order, as after a split that healed. */
  readonly hold?: Direction;
  /** Each piece comes so much later, drawn evenly; order stays. */
  readonly delayMs?: readonly [min: number, max: number];
  /** Bytes come in pieces of at most so many, each a segment of its own. */
  readonly pieces?: number;
}

/** Chance for delays, in [0, 1). */
export type Chance = () => number;

export class TcpLine {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #halves: readonly [LineHalf, LineHalf];

  constructor(client: Socket, target: { host: string; port: number }, chance: Chance, closed: () => void) {
    this.#client = client;
    // A half passes ends on itself, or swallows them.
    this.#server = connect({ ...target, noDelay: true, allowHalfOpen: true });
    client.setNoDelay(true);
    this.#halves = [new LineHalf(client, this.#server, 'to_server', chance), new LineHalf(this.#server, client, 'to_client', chance)];
    let open = 2;
    for (const socket of [client, this.#server]) {
      socket.on('close', () => {
        open -= 1;
        if (open === 0) closed();
      });
    }
  }

  set weather(weather: Weather) {
    for (const half of this.#halves) half.weather = weather;
  }

  /** Without a goodbye: both ends are reset. */
  cut(): void {
    for (const half of this.#halves) half.forget();
    for (const socket of [this.#client, this.#server]) reset(socket);
  }
}

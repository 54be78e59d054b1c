import { connect, type Socket } from 'node:net';
import { HalfConnection, reset } from './half-connection.js';
import type { Chance, NetworkConditions } from './network-conditions.js';

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

  cut(): void {
    for (const half of this.#halves) half.forget();
    for (const socket of [this.#client, this.#server]) reset(socket);
  }
}

import { connect, type Socket } from 'node:net';
import { HalfConnection, reset } from './half-connection.js';
import type { Chance, NetworkConditions } from './network-conditions.js';

export class ProxiedConnection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #halves: readonly [HalfConnection, HalfConnection];
  #isForgotten = false;
  #forgetting: NodeJS.Timeout | null = null;

  constructor(client: Socket, target: { host: string; port: number }, chance: Chance, closed: () => void) {
    this.#client = client;
    // allowHalfOpen: HalfConnection forwards ends itself, or drops them.
    this.#server = connect({ ...target, noDelay: true, allowHalfOpen: true });
    client.setNoDelay(true);
    this.#halves = [new HalfConnection(client, this.#server, 'to_server', chance), new HalfConnection(this.#server, client, 'to_client', chance)];
    let open = 2;
    for (const socket of [client, this.#server]) {
      socket.on('data', () => this.#forgetting?.refresh());
      socket.on('close', () => {
        open -= 1;
        if (open > 0) return;
        if (this.#forgetting !== null) clearTimeout(this.#forgetting);
        closed();
      });
    }
  }

  set conditions(conditions: NetworkConditions) {
    if (this.#isForgotten) return;
    if (this.#forgetting !== null) clearTimeout(this.#forgetting);
    const { forgetIdleMs } = conditions;
    this.#forgetting = forgetIdleMs === undefined ? null : setTimeout(() => this.#forget(), forgetIdleMs).unref();
    this.#impose(conditions);
  }

  #forget(): void {
    this.#impose({ drop: 'both' });
    this.#isForgotten = true;
  }

  #impose(conditions: NetworkConditions): void {
    for (const half of this.#halves) half.conditions = conditions;
  }

  cut(): void {
    for (const half of this.#halves) half.forget();
    for (const socket of [this.#client, this.#server]) reset(socket);
  }
}

/** Cuts, delays, fragments or half-opens connections, and changes the target while the address stays the same. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Chance, NetworkConditions } from './network-conditions.js';
import { ProxiedConnection } from './proxied-connection.js';

export interface TcpTarget {
  host: string;
  port: number;
}

export class TcpProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #chance: Chance;
  readonly #connections = new Set<ProxiedConnection>();
  #target: TcpTarget;
  #conditions: NetworkConditions = {};
  #refusing = false;

  private constructor(server: Server, target: TcpTarget, chance: Chance) {
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    this.#target = target;
    this.#chance = chance;
    server.on('connection', (client) => this.#accept(client));
  }

  static async open(target: TcpTarget, chance: Chance = Math.random): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, target, chance);
  }

  get connections(): readonly ProxiedConnection[] {
    return [...this.#connections];
  }

  get target(): TcpTarget {
    return this.#target;
  }

  /** For connections that are opened from now on. */
  set target(target: TcpTarget) {
    this.#target = target;
  }

  /** Conditions of the open connections and of later ones. */
  set conditions(conditions: NetworkConditions) {
    this.#conditions = conditions;
    for (const connection of this.#connections) connection.conditions = conditions;
  }

  set refusing(refusing: boolean) {
    this.#refusing = refusing;
  }

  cut(): void {
    for (const connection of this.#connections) connection.cut();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    if (this.#refusing) {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const connection = new ProxiedConnection(client, this.#target, this.#chance, () => this.#connections.delete(connection));
    this.#connections.add(connection);
    connection.conditions = this.#conditions;
  }
}

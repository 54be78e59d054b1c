/** A TCP proxy whose lines a test cuts, holds half-open, slows and chops, and whose target may change while its address stays. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TcpLine, type Chance, type Weather } from './proxied-connection.js';

export interface TcpTarget {
  host: string;
  port: number;
}

export class TcpProxy {
  /** Of 127.0.0.1. */
  readonly port: number;
  readonly #server: Server;
  readonly #chance: Chance;
  readonly #lines = new Set<TcpLine>();
  #target: TcpTarget;
  #weather: Weather = {};
  #refusing = false;

  private constructor(server: Server, target: TcpTarget, chance: Chance) {
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    this.#target = target;
    this.#chance = chance;
    server.on('connection', (client) => this.#join(client));
  }

  /** Listens on any free port. @param chance draws delays; default `Math.random` */
  static async open(target: TcpTarget, chance: Chance = Math.random): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, target, chance);
  }

  /** Lines up now, oldest first. */
  get lines(): readonly TcpLine[] {
    return [...this.#lines];
  }

  /** Where lines that are dialled from now on lead. */
  set target(target: TcpTarget) {
    this.#target = target;
  }

  /** Of every line, those dialled later too. */
  set weather(weather: Weather) {
    this.#weather = weather;
    for (const line of this.#lines) line.weather = weather;
  }

  /** Whether dials are reset at once. */
  set refusing(refusing: boolean) {
    this.#refusing = refusing;
  }

  /** Cuts every line, without a goodbye. */
  cut(): void {
    for (const line of this.#lines) line.cut();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    if (this.#refusing) {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const line = new TcpLine(client, this.#target, this.#chance, () => this.#lines.delete(line));
    this.#lines.add(line);
    line.weather = this.#weather;
  }
}

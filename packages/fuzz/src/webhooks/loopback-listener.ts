/** Somebody on this machine whom no webhook may reach: counts the connections that are made to them. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

export class LoopbackListener {
  connections = 0;
  readonly #servers: Server[] = [];

  /** On one port of both loopbacks, where there are both. */
  static async open(): Promise<LoopbackListener> {
    const listener = new LoopbackListener();
    await listener.#listen('127.0.0.1', 0);
    await listener.#listen('::1', listener.port).catch(() => {});
    return listener;
  }

  get port(): number {
    return (this.#servers[0]!.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => new Promise((closed) => server.close(closed))));
  }

  async #listen(host: string, port: number): Promise<void> {
    const server = createServer((socket) => {
      this.connections++;
      socket.destroy();
    });
    server.listen(port, host);
    await once(server, 'listening');
    this.#servers.push(server);
  }
}

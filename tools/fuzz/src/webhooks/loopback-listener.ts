import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

export class LoopbackListener {
  connections = 0;
  readonly #servers: Server[] = [];

  /** Listens on both loopback addresses, on a free port and, if free, 8443: deliveries to other ports are rejected before they connect. */
  static async open(): Promise<LoopbackListener> {
    const listener = new LoopbackListener();
    await listener.#listen('127.0.0.1', 0);
    await listener.#listen('::1', listener.port).catch(() => {});
    for (const host of ['127.0.0.1', '::1']) await listener.#listen(host, 8443).catch(() => {});
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

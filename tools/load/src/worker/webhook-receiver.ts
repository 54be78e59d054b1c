import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { EventTally } from './event-tally.js';

/** Receives the webhooks of all robots of a worker, answers 204, and counts each event. */
export class WebhookReceiver {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async open(host: string, tally: EventTally): Promise<WebhookReceiver> {
    const server = createServer((request, response) => void receive(request, response, tally).catch(() => response.destroy()));
    server.keepAliveTimeout = 60_000;
    server.listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new WebhookReceiver(server, `http://${host.includes(':') ? `[${host}]` : host}:${port}/`);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

async function receive(request: IncomingMessage, response: ServerResponse, tally: EventTally): Promise<void> {
  const { data } = JSON.parse(await text(request)) as { data: { robot: string; name: string; data: unknown } };
  tally.seen(data.robot, data.name, data.data, String(request.headers['webhook-id']));
  response.writeHead(204).end();
}

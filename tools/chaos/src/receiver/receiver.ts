/** Records every message, accepts most, refuses some, and closes the connection of some after reading them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { History } from '../history/history.js';
import type { Answer, Message } from '../history/messages.js';
import { canonicalEvent, type Body } from '../history/records.js';
import type { Random } from '../random.js';

/** ms; sometimes long enough for the sender to give up. */
const quickMs = [0, 15] as const;
const slowMs = [200, 900] as const;

export class Receiver {
  readonly #server: Server;
  readonly #history: History;
  readonly #random: Random;
  readonly #secrets = new Map<string, string>();
  readonly #timers = new Set<NodeJS.Timeout>();

  private constructor(server: Server, history: History, random: Random) {
    this.#server = server;
    this.#history = history;
    this.#random = random;
  }

  static async open(history: History, random: Random): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server, history, random);
    server.on('request', (request, response) => void receiver.#receive(request, response).catch(() => response.destroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  expect(path: string, secret: string): void {
    this.#secrets.set(path, secret);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const sent = await text(request);
    const secret = this.#secrets.get(path);
    // A message for an earlier round, whose receiver had this port.
    if (secret === undefined) {
      response.writeHead(404).end();
      return;
    }
    const answer = this.#draw();
    const headers = request.headers as Record<string, string>;
    this.#history.message({ path, id: String(headers['webhook-id']), genuine: isGenuine(secret, sent, headers), ...fieldsOf(sent), answer });
    const [from, to] = this.#random.chance(0.04) ? slowMs : quickMs;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        if (answer === 'cut') response.destroy();
        else response.writeHead(answer === 'taken' ? 204 : 500).end();
      },
      this.#random.between(from, to),
    );
    this.#timers.add(timer);
  }

  #draw(): Answer {
    const drawn = this.#random.next();
    if (drawn < 0.05) return 'refused';
    return drawn < 0.08 ? 'cut' : 'taken';
  }
}

function isGenuine(secret: string, sent: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(sent, headers);
    return true;
  } catch {
    return false;
  }
}

function fieldsOf(sent: string): Pick<Message, 'robot' | 'seq' | 'name' | 'data'> {
  try {
    const { robot, seq, name, data } = (JSON.parse(sent) as { data: Body }).data;
    return { robot: String(robot), seq: Number(seq), name: String(name), data: canonicalEvent(data) };
  } catch {
    return { robot: '', seq: 0, name: '', data: '' };
  }
}

/** A service on a real socket that answers as the test tells it, call by call, and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

type Answering = (response: ServerResponse, asked: Asked) => void;

export class ScriptedService {
  readonly asked: Asked[] = [];
  readonly #server: Server;
  /** For the next calls, one each; the last one answers whatever comes after it. */
  #script: Answering[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        const asked = { method: method!, path: url!, headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
        this.asked.push(asked);
        const answer = this.#script.length > 1 ? this.#script.shift()! : this.#script[0]!;
        answer(response, asked);
      });
    });
  }

  static async start(): Promise<ScriptedService> {
    const service = new ScriptedService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  answers(...script: Answering[]): void {
    this.#script = script;
    this.asked.length = 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** An answer as Perch gives it. */
export function ok(fields: object = {}): Answering {
  return json(200, { ok: true, ...fields });
}

/** A failure as Perch tells it. */
export function fails(
  status: number,
  code: string,
  { headers = {}, ...fields }: { headers?: Record<string, string> } & Record<string, unknown> = {},
): Answering {
  return json(status, { ok: false, error: `${code}, as scripted`, code, request_id: 'q-0123456789', ...fields }, headers);
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answering {
  return (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** What a proxy without a service behind it has to say. */
export function page(status: number): Answering {
  return (response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
}

/** The call is read, and its connection reset. */
export const cut: Answering = (response) => response.socket?.destroy();

/** The call is read, and nothing follows. */
export const silence: Answering = () => {};

/** A stream of events: these records, then the end of it, unless it stays open. */
export function streams(text: string, { stays = false } = {}): Answering {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
    if (!stays) response.end();
  };
}

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

type Responder = (response: ServerResponse, received: ReceivedRequest) => void;

export class ScriptedService {
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Server;
  /** Responses to the next requests, one each; the last one is repeated. */
  #script: Responder[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        const received = { method: method!, path: url!, headers, body: text === '' ? undefined : bodyOf(text, headers) };
        this.requests.push(received);
        const respond = this.#script.length > 1 ? this.#script.shift()! : this.#script[0]!;
        respond(response, received);
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

  respondWith(...script: Responder[]): void {
    this.#script = script;
    this.requests.length = 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** With what each action promises. */
export function ok(fields: object = {}): Responder {
  return json(200, { ok: true, outcome: 'answered', last_seq: 0, results: [], ...fields });
}

export function fails(
  status: number,
  code: string,
  { headers = {}, ...fields }: { headers?: Record<string, string> } & Record<string, unknown> = {},
): Responder {
  return json(status, { ok: false, error: `${code}, as scripted`, code, request_id: 'q-0123456789', ...fields }, headers);
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Responder {
  return (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function page(status: number): Responder {
  return (response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
}

export const cut: Responder = (response) => response.socket?.destroy();

export const silence: Responder = () => {};

/** An event stream with these records; it then ends, unless it stays open. */
export function streams(text: string, { stays = false } = {}): Responder {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
    if (!stays) response.end();
  };
}

function bodyOf(text: string, headers: IncomingHttpHeaders): unknown {
  return headers['content-type'] === 'application/json' ? (JSON.parse(text) as unknown) : text;
}

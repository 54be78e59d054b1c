/** The service's side of the robot link (docs/robot-link.md), without a service behind it: tests and the conformance run control each frame. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { WebSocketServer, type WebSocket } from 'ws';

export type Message = Record<string, unknown> & { t: string };
type Fields = Record<string, unknown>;

// As the document has them; the service's own are in packages/schema.
const linkPath = '/robot/v1/link';
const linkProtocol = 'perch-link.v1';
const tokenPrefix = 'bearer.';
const pairMark = { 'perch-link': 'pair' };

export async function eventually<T>(look: () => T | undefined | false, timeoutMs = 40_000): Promise<T> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > until) throw new Error(`not within ${timeoutMs} ms: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export class LinkSession {
  readonly socket: WebSocket;
  readonly headers: IncomingMessage['headers'];
  readonly openedAt = performance.now();
  readonly messages: Message[] = [];
  /** As they were sent, in the order of `messages`. */
  readonly texts: string[] = [];
  /** When each of `messages` arrived, by performance.now(). */
  readonly arrivals: number[] = [];
  binaryFrames = 0;
  hello: Message | null = null;
  closeCode: number | null = null;
  closedAt: number | null = null;
  #commands = 0;

  constructor(socket: WebSocket, headers: IncomingMessage['headers']) {
    this.socket = socket;
    this.headers = headers;
    socket.on('close', (code) => {
      this.closeCode = code;
      this.closedAt = performance.now();
    });
  }

  of(t: string): Message[] {
    return this.messages.filter((message) => message.t === t);
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  cmd(name: string, args: Fields = {}, { id = `c${++this.#commands}`, ttl = 5000 }: { id?: string; ttl?: number } = {}): string {
    this.send({ t: 'cmd', id, name, args, ttl_ms: ttl });
    return id;
  }

  acks(id: string): Message[] {
    return this.of('ack').filter((ack) => ack['id'] === id);
  }

  ack(id: string): Promise<Message> {
    return eventually(() => this.acks(id)[0]);
  }

  run(name: string, args: Fields = {}): Promise<Message> {
    return this.ack(this.cmd(name, args));
  }

  part(kind: 'picture' | 'audio', stream: number, whole: Uint8Array, from: number, to: number): void {
    const head = Buffer.alloc(8);
    head.writeUInt8(kind === 'picture' ? 1 : 2, 0);
    head.writeUInt8((from === 0 ? 1 : 0) | (to === whole.byteLength ? 2 : 0), 1);
    head.writeUInt16BE(stream, 2);
    head.writeUInt32BE(from, 4);
    this.socket.send(Buffer.concat([head, whole.subarray(from, to)]));
  }

  parts(kind: 'picture' | 'audio', stream: number, whole: Uint8Array, from = 0, to = whole.byteLength, partBytes = 4096): void {
    for (let at = from; at < to; at += partBytes) this.part(kind, stream, whole, at, Math.min(at + partBytes, to));
  }

  show(layer: 'card' | 'question', id: string, picture: Uint8Array, more: Fields = {}): string {
    const stream = 100 + (this.#commands % 1000);
    const command = this.cmd('screen.show', {
      layer,
      id,
      stream,
      format: 'jpeg',
      bytes: picture.byteLength,
      crc32: crc32(picture),
      ...(layer === 'question' ? { show_ms: 60_000 } : {}),
      ...more,
    });
    this.parts('picture', stream, picture);
    return command;
  }
}

export interface Dial {
  at: number;
  url: string;
  token: string | null;
  protocols: string[];
  /** Status of the answer, if it was not accepted. */
  refused: number | null;
}

export interface ServerOptions {
  host?: string;
  port?: number;
}

export class LinkServer {
  readonly sessions: LinkSession[] = [];
  readonly dials: Dial[] = [];
  /** Requests for other than the link, as `GET /path`. */
  readonly requests: { at: number; request: string; body: string; contentType: string }[] = [];
  /** The highest acknowledged input by boot id, as Redis would keep it. */
  readonly marks = new Map<string, number>();
  welcome: Fields = {};
  /** Null: any token, or none, is accepted. */
  tokens: Set<string> | null = null;
  /** A dial without a token is told to pair, and a code is confirmed at the second poll for its token. */
  pairs = false;
  /** False: its 401 is as that of a service of 0.10.0. */
  marksRefusals = true;
  /** The next dials are answered by these, one each. */
  readonly refusals: { status: number; headers?: Record<string, string> }[] = [];
  /** Answered to GET, by path. */
  readonly files = new Map<string, Uint8Array>();
  onMessage: (session: LinkSession, message: Message) => void = () => undefined;
  #http: Server | null = null;

  async start({ host = '127.0.0.1', port = 0 }: ServerOptions = {}): Promise<this> {
    const http = createServer((request, response) => void this.#answer(request, response));
    const server = new WebSocketServer({
      server: http,
      perMessageDeflate: false,
      handleProtocols: (offered) => (offered.has(linkProtocol) ? linkProtocol : false),
      verifyClient: ({ req }, answer) => {
        const { status, headers } = this.#admit(req);
        answer(status === null, status ?? undefined, undefined, headers);
      },
    });
    this.#http = http;
    server.on('connection', (socket, request) => this.#connected(new LinkSession(socket, request.headers)));
    await new Promise((resolve, reject) => {
      http.once('error', reject);
      http.listen(port, host, () => resolve(undefined));
    });
    return this;
  }

  async stop(): Promise<void> {
    for (const { socket } of this.sessions) socket.terminate();
    this.#http?.closeAllConnections();
    await new Promise((resolve) => this.#http?.close(resolve));
  }

  get url(): string {
    const { port, address, family } = this.#http!.address() as AddressInfo;
    return `ws://${family === 'IPv6' ? `[${address}]` : address}:${port}${linkPath}`;
  }

  /** Resolves when the session has sent its hello. */
  session(nth: number, timeoutMs?: number): Promise<LinkSession> {
    return eventually(() => {
      const session = this.sessions[nth - 1];
      return session?.hello ? session : undefined;
    }, timeoutMs);
  }

  #admit(request: IncomingMessage): { status: number | null; headers?: Record<string, string> } {
    const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
    const offered = protocols.find((each) => each.startsWith(tokenPrefix))?.slice(tokenPrefix.length);
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? offered ?? null;
    const dial: Dial = { at: performance.now(), url: request.url ?? '', token, protocols, refused: null };
    this.dials.push(dial);
    const refusal = this.refusals.shift() ?? this.#unauthorized(token);
    dial.refused = refusal?.status ?? null;
    return refusal ?? { status: null };
  }

  #unauthorized(token: string | null): { status: number; headers: Record<string, string> } | null {
    if (this.tokens === null ? !this.pairs || token !== null : this.tokens.has(token ?? '')) return null;
    return { status: 401, headers: this.marksRefusals ? pairMark : {} };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    let body = '';
    for await (const chunk of request) body += String(chunk);
    this.requests.push({ at: performance.now(), request: `${method} ${url}`, body, contentType: headers['content-type'] ?? '' });
    const paired = this.pairs ? this.#pair(`${method} ${url}`, headers.host ?? '') : null;
    if (paired !== null) {
      response.writeHead(paired.status, { 'content-type': 'application/json' }).end(JSON.stringify(paired.body));
      return;
    }
    const file = method === 'GET' ? this.files.get(url) : undefined;
    response.writeHead(file === undefined ? 404 : 200).end(file);
  }

  #pair(asked: string, host: string): { status: number; body: object } | null {
    const page = `http://${host}/pair`;
    const code = { device_code: 'conformance', user_code: 'CNFR-MNCE', verification_uri: page, verification_uri_complete: `${page}?code=CNFR-MNCE` };
    if (asked === 'POST /robot/v1/pair') return { status: 200, body: { ...code, expires_in: 600, interval: 3 } };
    if (asked !== 'POST /robot/v1/pair/token') return null;
    const polls = this.requests.filter(({ request }) => request === asked).length;
    if (polls === 1) return { status: 400, body: { error: 'authorization_pending' } };
    return { status: 200, body: { robot_id: 'r-conformance', token: 'rt_conformance' } };
  }

  #connected(session: LinkSession): void {
    this.sessions.push(session);
    session.socket.on('message', (data: Buffer, isBinary: boolean) => {
      let message: Message;
      try {
        if (isBinary) session.binaryFrames += 1;
        message = JSON.parse(data.toString('utf8')) as Message;
      } catch {
        return session.socket.close(4400);
      }
      session.messages.push(message);
      session.texts.push(data.toString('utf8'));
      session.arrivals.push(performance.now());
      this.onMessage(session, message);
      if (message.t !== 'hello' || session.hello !== null) return;
      session.hello = message;
      session.send({
        t: 'welcome',
        v: 1,
        session: `s-${this.sessions.length}`,
        time_ms: 1_790_000_000_000,
        sensors_ms: 2000,
        ping_ms: 15_000,
        in_ack: this.marks.get(String(message['boot_id'])) ?? 0,
        ...this.welcome,
      });
    });
  }
}

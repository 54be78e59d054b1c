/**
 * The proxy of `npm start -- --lan`, in front of one service that listens on loopback. Its port takes TLS and plain connections: whether a robot may go
 * without TLS is decided where it is installed.
 */
import { once } from 'node:events';
import { createServer, request as requestOf, type IncomingMessage, type RequestOptions, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { connect, createServer as createListener, type AddressInfo, type Server as Listener, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificate } from '@perch/authority';

/** The first byte of a TLS connection: a record of the handshake. */
const tlsRecord = 22;
const firstByteMs = 60_000;
/** As that of a gateway. */
const keepAliveTimeout = 65_000;
const ownHeaders = /^(?:x-forwarded-(?:for|proto|host)|forwarded)$/i;

export interface FrontOptions {
  /** 0: any free port. */
  port: number;
  host: string;
  certificate: Certificate;
  /** Adds to X-Forwarded-For, which a proxy in front of this one has written. Default: replaces it. */
  trustsProxy?: boolean;
  /** Answers a request itself; returns whether it did. */
  answer?: (request: IncomingMessage, response: ServerResponse, isTls: boolean) => boolean;
}

export class Front {
  readonly #plain: Server;
  readonly #tls: TlsServer;
  readonly #sockets = new Set<Socket>();
  #listener: Listener;
  readonly #trustsProxy: boolean;
  #port = 0;
  #target: URL | null = null;

  /** @throws the port is busy, or the machine has no such address */
  static async open(options: FrontOptions): Promise<Front> {
    const front = new Front(options);
    await front.#listen(options.port, options.host);
    return front;
  }

  private constructor({ certificate, trustsProxy = false, answer = () => false }: FrontOptions) {
    this.#trustsProxy = trustsProxy;
    const handle = (isTls: boolean) => (request: IncomingMessage, response: ServerResponse) => {
      if (!answer(request, response, isTls)) this.#forward(request, response, isTls);
    };
    this.#plain = createServer({ keepAliveTimeout }, handle(false));
    this.#tls = createTlsServer({ keepAliveTimeout, ...certificate }, handle(true));
    for (const [server, isTls] of [[this.#plain, false] as const, [this.#tls, true] as const])
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => this.#tunnel(request, socket, head, isTls));
    this.#listener = this.#newListener();
  }

  get port(): number {
    return this.#port;
  }

  /** @param address `http://…` or `ws://…` of the service; until it is set, requests are answered with 503 */
  leadTo(address: string): void {
    this.#target = new URL(address);
  }

  /** For connections from now on. */
  use(certificate: Certificate): void {
    this.#tls.setSecureContext(certificate);
  }

  /** Listens at another address, on the same port; connections at the former one are closed. */
  async moveTo(host: string): Promise<void> {
    const { port } = this;
    await this.#close();
    this.#listener = this.#newListener();
    await this.#listen(port, host);
  }

  async stop(): Promise<void> {
    await this.#close();
    this.#plain.closeAllConnections();
    this.#tls.closeAllConnections();
  }

  #newListener(): Listener {
    return createListener((socket) => this.#accept(socket));
  }

  async #listen(port: number, host: string): Promise<void> {
    await once(this.#listener.listen(port, host), 'listening');
    this.#port = (this.#listener.address() as AddressInfo).port;
  }

  async #close(): Promise<void> {
    const closed = this.#listener.listening ? once(this.#listener, 'close') : null;
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => socket.destroy());
    socket.setTimeout(firstByteMs, () => socket.destroy());
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null;
      if (first === null) return socket.destroy();
      socket.setTimeout(0).removeAllListeners('timeout');
      socket.unshift(first);
      (first[0] === tlsRecord ? this.#tls : this.#plain).emit('connection', socket);
    });
  }

  /** A connection of its own for each request: none is sent twice. */
  #forward(request: IncomingMessage, response: ServerResponse, isTls: boolean): void {
    if (this.#target === null) return refuse(response, 'service_unavailable', 'Perch is starting. Try again shortly.');
    const outgoing = requestOf({
      ...this.#to(this.#target),
      method: request.method,
      path: request.url,
      headers: this.#headersOf(request, isTls),
      agent: false,
    });
    outgoing.on('response', (incoming) => {
      response.writeHead(incoming.statusCode!, incoming.statusMessage, incoming.rawHeaders);
      incoming.pipe(response);
      incoming.on('error', () => response.destroy());
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent) response.destroy();
      else if (error.code === 'ECONNREFUSED')
        refuse(response, 'service_unavailable', 'No instance of the service can take the call at the moment. Try again shortly.');
      else
        refuse(
          response,
          'outcome_unknown',
          'The instance that had the call ended before it answered. It may have been done: look before trying again.',
        );
    });
    response.on('close', () => outgoing.destroy());
    request.pipe(outgoing);
  }

  #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer, isTls: boolean): void {
    if (this.#target === null) return void socket.destroy();
    const { host, port } = this.#to(this.#target);
    const service = connect(Number(port), host!, () => {
      const headers = this.#headersOf(request, isTls);
      const lines = Array.from({ length: headers.length / 2 }, (_, at) => `${headers[2 * at]}: ${headers[2 * at + 1]}`);
      service.write([`${request.method} ${request.url} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      service.write(head);
      socket.pipe(service).pipe(socket);
    });
    socket.on('error', () => service.destroy()).on('close', () => service.destroy());
    service.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  }

  /** The service trusts the last entry of X-Forwarded-For (PERCH_TRUST_PROXY); what a client wrote there is left out. */
  #headersOf({ rawHeaders, headers, socket }: IncomingMessage, isTls: boolean): string[] {
    const kept = rawHeaders.flatMap((name, at) => (at % 2 === 0 && !ownHeaders.test(name) ? [name, rawHeaders[at + 1]!] : []));
    const before = this.#trustsProxy ? headers : {};
    const clients = [before['x-forwarded-for'] ?? [], socket.remoteAddress ?? ''].flat().join(', ');
    return [...kept, 'X-Forwarded-For', clients, 'X-Forwarded-Proto', String(before['x-forwarded-proto'] ?? (isTls ? 'https' : 'http'))];
  }

  #to({ hostname, port }: URL): Pick<RequestOptions, 'host' | 'port'> {
    return { host: hostname, port };
  }
}

function refuse(response: ServerResponse, code: string, error: string): void {
  response.writeHead(503, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', 'retry-after': '1' });
  response.end(JSON.stringify({ ok: false, error, code }));
}

/** HTTP/1.1 over bare sockets that stay open: a client that costs little beside the measured servers, and pipelines where it is asked to. */
import { connect, type Socket } from 'node:net';
import { AnswerReader, type HttpAnswer } from './http-answers.js';

export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

interface Waiting {
  resolve: (answer: HttpAnswer) => void;
  reject: (error: Error) => void;
  until: number;
}

const lookEveryMs = 1000;

class Connection {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  readonly #timer: NodeJS.Timeout;
  isClosed = false;

  constructor(host: string, port: number) {
    const socket = connect({ host, port, noDelay: true });
    this.#socket = socket;
    const reader = new AnswerReader((answer) => {
      const first = this.#waiting.shift();
      if (first === undefined) throw new Error('an answer to nothing');
      first.resolve(answer);
    });
    socket.on('data', (bytes: Buffer) => {
      try {
        reader.read(bytes);
      } catch (error) {
        this.#fail(error as Error);
      }
    });
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
    this.#timer = setInterval(() => {
      if ((this.#waiting[0]?.until ?? Infinity) < performance.now()) this.#fail(new Error('no answer in time'));
    }, lookEveryMs);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  ask(request: string, withinMs: number): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject, until: performance.now() + withinMs });
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#fail(new Error('closed by the client'));
  }

  #fail(error: Error): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearInterval(this.#timer);
    this.#socket.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

export class HttpConnections {
  readonly #host: string;
  readonly #hostname: string;
  readonly #port: number;
  readonly #withinMs: number;
  readonly #open: (Connection | undefined)[];

  /** @param base `http://host:port` @param count each is opened on first use, and again once it was closed */
  constructor(base: string, count: number, withinMs: number) {
    const { hostname, port, host } = new URL(base);
    this.#host = host;
    this.#hostname = hostname;
    this.#port = Number(port);
    this.#withinMs = withinMs;
    this.#open = Array.from({ length: count });
  }

  /** With the fewest unanswered requests. */
  get leastUsed(): number {
    let least = 0;
    for (const [i, connection] of this.#open.entries()) {
      const waiting = connection?.waiting ?? 0;
      if (waiting === 0) return i;
      if (waiting < this.#open[least]!.waiting) least = i;
    }
    return least;
  }

  /** Behind unanswered requests of that connection, without waiting for them. @throws if the connection breaks or the answer is late */
  ask(index: number, { method, path, headers, body }: HttpRequest): Promise<HttpAnswer> {
    let connection = this.#open[index];
    if (connection === undefined || connection.isClosed) connection = this.#open[index] = new Connection(this.#hostname, this.#port);
    let head = `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\n`;
    for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
    const request = body === undefined ? `${head}\r\n` : `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    return connection.ask(request, this.#withinMs);
  }

  close(): void {
    for (const connection of this.#open) connection?.close();
  }
}

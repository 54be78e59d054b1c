/** One HTTP request and its answer: its id, when it began, how it ended. The only thing the parts of the HTTP side pass to each other. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientGone } from './errors.js';

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The caller's X-Request-Id where it is a sane one, else ours; it travels to the robot-link and comes back in the answer. */
  readonly requestId: string;
  /** On the monotonic clock, ms. */
  readonly startedAt = performance.now();
  /** What was asked for, from a closed list: an action's name, or the kind of page. */
  action = 'unknown';
  /** Name, value, name, value ... Node writes such a list as it stands; what is set one by one goes into a dictionary first, which takes longer. */
  readonly #headers: string[];
  #abort: AbortController | null = null;
  #hungUp = false;

  constructor(request: IncomingMessage, response: ServerResponse, ownId: string) {
    this.request = request;
    this.response = response;
    const asked = request.headers['x-request-id'];
    this.requestId = typeof asked === 'string' && saneId.test(asked) ? asked : ownId;
    this.#headers = ['x-request-id', this.requestId, 'x-content-type-options', 'nosniff'];
  }

  /** A header of the answer, whatever the answer will be; in place of one of that name. @param name in lower case */
  setHeader(name: string, value: string): void {
    const at = this.#headers.indexOf(name);
    if (at === -1 || at % 2 === 1) this.#headers.push(name, value);
    else this.#headers[at + 1] = value;
  }

  /** A further header of the answer, beside those of that name. @param name in lower case */
  addHeader(name: string, value: string): void {
    this.#headers.push(name, value);
  }

  /** The answer, unless one has begun or the client is gone. */
  answer(status: number, body: string, contentType = 'application/json; charset=utf-8'): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    const length = String(Buffer.byteLength(body));
    response.writeHead(status, [...this.#headers, 'content-type', contentType, 'content-length', length, 'cache-control', 'no-store']);
    response.end(body);
  }

  /** Bytes as the answer, or null for none. @param headers name, value, name, value ..., in lower case */
  answerBytes(status: number, bytes: Buffer | null, headers: readonly string[]): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    response.writeHead(status, [...this.#headers, ...headers, ...(bytes === null ? [] : ['content-length', String(bytes.length)])]);
    response.end(bytes ?? undefined);
  }

  /** Begins an answer that is written bit by bit; what is between must not collect it. */
  stream(contentType: string): ServerResponse {
    const { response } = this;
    response.writeHead(200, [...this.#headers, 'content-type', contentType, 'cache-control', 'no-store', 'x-accel-buffering', 'no']);
    return response;
  }

  /** Aborted with `ClientGone` when the client hangs up before its answer. */
  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#hungUp) this.#abort.abort(new ClientGone());
    }
    return this.#abort.signal;
  }

  hangUp(): void {
    this.#hungUp = true;
    this.#abort?.abort(new ClientGone());
  }
}

const saneId = /^[\w.:-]{1,64}$/;

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
  #abort: AbortController | null = null;
  #hungUp = false;

  constructor(request: IncomingMessage, response: ServerResponse, ownId: string) {
    this.request = request;
    this.response = response;
    const asked = request.headers['x-request-id'];
    this.requestId = typeof asked === 'string' && saneId.test(asked) ? asked : ownId;
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

/** Answers with 200 and JSON. @param last the connection closes behind it */
export function sendJson(response: ServerResponse, json: string, last: boolean): void {
  if (response.headersSent || response.destroyed) return;
  if (last) response.setHeader('connection', 'close');
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
    'cache-control': 'no-store',
  });
  response.end(json);
}

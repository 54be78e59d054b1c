import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseTraceparent, type RequestAction, type RequestCode, type Span } from '@perch/runtime';
import type { KeyScope } from '@perch/schema';
import { isRobotId, type ActivityVia, type AdmittedKey } from '@perch/store';
import type { QuestionOutcome, ScreenNote } from '../calls/call.js';
import { ServiceTime } from '../calls/service-time.js';
import { ClientGone } from '../calls/failures.js';

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client's X-Request-Id if it is well-formed, else one of ours. It is passed to the robot-link and returned in the response. */
  readonly requestId: string;
  readonly startedAt = performance.now();
  /** Name of the requested action, or the kind of page. A tool call has the name of the tool's action. */
  action: RequestAction = 'unknown';
  /** Code of the error that the request ended with, whatever its HTTP status: a failed tool call is answered with 200. Null: no error so far. */
  code: RequestCode | null = null;
  cause: unknown = undefined;
  /** Parameters that a 401, and a 403 for want of a scope, add to their challenge; null: none, and no challenge in a 403. */
  challenge: string | null = null;
  /** Template of the path, such as `/v1/robots/{robot}/show`; null if unknown. */
  route: string | null = null;
  /** The robot as the client named it, or null. Not validated: see `robot`. */
  robotNamed: string | null = null;
  span: Span | null = null;
  /** The key or session that was admitted, or rejected by a rate limit; null: none so far. */
  caller: (Pick<AdmittedKey, 'account' | 'keyHash' | 'guest'> & { scopes?: readonly KeyScope[] }) | null = null;
  via: ActivityVia = 'http';
  question: QuestionOutcome | null = null;
  screens: readonly ScreenNote[] = noScreens;
  /** Whether the answer is that of an earlier call with the same Idempotency-Key. */
  replayed = false;
  readonly time = new ServiceTime(this.startedAt);
  readonly #headers: HeaderList;
  readonly #clientGone = new ClientGoneSignal();

  constructor(request: IncomingMessage, response: ServerResponse, ownId: string) {
    this.request = request;
    this.response = response;
    const given = request.headers['x-request-id'];
    this.requestId = typeof given === 'string' && requestIdShape.test(given) ? given : ownId;
    this.#headers = new HeaderList(['x-request-id', this.requestId, 'x-content-type-options', 'nosniff']);
  }

  get robot(): string | null {
    return this.robotNamed !== null && isRobotId(this.robotNamed) ? this.robotNamed : null;
  }

  /** Id of the request's trace: its own, or the client's if it is not traced here. Null: neither. */
  get traceId(): string | null {
    return this.span?.traceId ?? parseTraceparent(this.request.headers['traceparent'])?.traceId ?? null;
  }

  setHeader(name: string, value: string): void {
    this.#headers.set(name, value);
  }

  addHeader(name: string, value: string): void {
    this.#headers.add(name, value);
  }

  answer(status: number, body: string, contentType = 'application/json; charset=utf-8'): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    const length = String(Buffer.byteLength(body));
    this.time.pause();
    response.writeHead(status, this.#headers.with(['content-type', contentType, 'content-length', length, 'cache-control', 'no-store']));
    response.end(body);
  }

  /** Sends bytes as the response; null: no body. @param headers name, value, name, value ..., names in lower case */
  answerBytes(status: number, bytes: Buffer | null, headers: readonly string[]): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    this.time.pause();
    response.writeHead(status, this.#headers.with(bytes === null ? headers : [...headers, 'content-length', String(bytes.length)]));
    response.end(bytes ?? undefined);
  }

  stream(contentType: string): ServerResponse {
    const { response } = this;
    response.writeHead(200, this.#headers.with(['content-type', contentType, 'cache-control', 'no-store', 'x-accel-buffering', 'no']));
    return response;
  }

  get signal(): AbortSignal {
    return this.#clientGone.signal;
  }

  /** As `ClientGoneSignal.whenGone`. */
  whenGone(listener: () => void): () => void {
    return this.#clientGone.whenGone(listener);
  }

  hangUp(): void {
    this.#clientGone.setGone();
  }
}

const noScreens: readonly ScreenNote[] = [];
const requestIdShape = /^[\w.:-]{1,64}$/;

/** Aborts with `ClientGone` when the client disconnects before its response. Creates the AbortController on first use: most actions end without it. */
class ClientGoneSignal {
  #abort: AbortController | null = null;
  #isGone = false;
  #listener: (() => void) | null = null;

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#isGone) this.#abort.abort(new ClientGone());
    }
    return this.#abort.signal;
  }

  /** For one listener at a time, which needs no AbortController. Calls it at once if the client has disconnected. @returns ends listening */
  whenGone(listener: () => void): () => void {
    this.#listener = listener;
    if (this.#isGone) listener();
    return () => {
      this.#listener = null;
    };
  }

  setGone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#abort?.abort(new ClientGone());
    this.#listener?.();
  }
}

/** Response headers as name, value, ..., names in lower case. Node writes such a list as it is; headers set one by one go through a dictionary. */
class HeaderList {
  readonly #list: string[];

  constructor(list: string[]) {
    this.#list = list;
  }

  set(name: string, value: string): void {
    const at = this.#list.indexOf(name);
    if (at === -1 || at % 2 === 1) this.#list.push(name, value);
    else this.#list[at + 1] = value;
  }

  /** Keeps headers of the same name. */
  add(name: string, value: string): void {
    this.#list.push(name, value);
  }

  with(more: readonly string[]): string[] {
    return [...this.#list, ...more];
  }
}

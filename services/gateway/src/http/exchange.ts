/** One HTTP request and its answer: its id, when it began, how it ended. The only thing the parts of the HTTP side pass to each other. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseTraceparent, type RequestAction, type RequestCode, type Span } from '@perch/runtime';
import { isRobotId } from '@perch/store';
import { ClientGone } from './errors.js';
import { ServiceTime } from '../telemetry/service-time.js';

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The caller's X-Request-Id where it is a sane one, else ours; it travels to the robot-link and comes back in the answer. */
  readonly requestId: string;
  /** On the monotonic clock, ms. */
  readonly startedAt = performance.now();
  /** What was asked for: the name of an action, or the kind of page. A call of a tool has the name of the tool's action. */
  action: RequestAction = 'unknown';
  /** Code of the error that the request ended with, whatever its HTTP status: a failed call of a tool is answered with 200. Null: none so far. */
  code: RequestCode | null = null;
  /** What caused that error, for the log; undefined where nothing is known. */
  cause: unknown = undefined;
  /** Template of the path, such as `/v1/robots/{robot}/show`; null while it is not known. */
  route: string | null = null;
  /** What the caller named as the robot it is about, or null. It can be anything: see `robot`. */
  robotNamed: string | null = null;
  /** Its span, if it is traced. */
  span: Span | null = null;
  readonly time = new ServiceTime(this.startedAt);
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

  /** Id of the robot it is about, where it names one. */
  get robot(): string | null {
    return this.robotNamed !== null && isRobotId(this.robotNamed) ? this.robotNamed : null;
  }

  /** Id of the trace that it belongs to: its own, or the caller's where it is not traced here. Null: neither. */
  get traceId(): string | null {
    return this.span?.traceId ?? parseTraceparent(this.request.headers['traceparent'])?.traceId ?? null;
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
    this.time.waits();
    response.writeHead(status, [...this.#headers, 'content-type', contentType, 'content-length', length, 'cache-control', 'no-store']);
    response.end(body);
  }

  /** Bytes as the answer, or null for none. @param headers name, value, name, value ..., in lower case */
  answerBytes(status: number, bytes: Buffer | null, headers: readonly string[]): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    this.time.waits();
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

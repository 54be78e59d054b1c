/** One HTTP request and its response: id, start time, result. The only object that the parts of the HTTP side pass to each other. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseTraceparent, type RequestAction, type RequestCode, type Span } from '@perch/runtime';
import { isRobotId } from '@perch/store';
import { ClientGone } from './errors.js';
import { ServiceTime } from '../telemetry/service-time.js';

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
  /** Cause of that error, for the log; undefined if unknown. */
  cause: unknown = undefined;
  /** Template of the path, such as `/v1/robots/{robot}/show`; null if unknown. */
  route: string | null = null;
  /** The robot as the client named it, or null. Not validated: see `robot`. */
  robotNamed: string | null = null;
  span: Span | null = null;
  readonly time = new ServiceTime(this.startedAt);
  /** Response headers as name, value, name, value ... Node writes such a list as it is; headers set one by one go through a dictionary, which is slower. */
  readonly #headers: string[];
  #abort: AbortController | null = null;
  #hungUp = false;

  constructor(request: IncomingMessage, response: ServerResponse, ownId: string) {
    this.request = request;
    this.response = response;
    const given = request.headers['x-request-id'];
    this.requestId = typeof given === 'string' && requestIdShape.test(given) ? given : ownId;
    this.#headers = ['x-request-id', this.requestId, 'x-content-type-options', 'nosniff'];
  }

  /** Id of the robot that the request addresses; null if it names none or an invalid id. */
  get robot(): string | null {
    return this.robotNamed !== null && isRobotId(this.robotNamed) ? this.robotNamed : null;
  }

  /** Id of the request's trace: its own, or the client's if it is not traced here. Null: neither. */
  get traceId(): string | null {
    return this.span?.traceId ?? parseTraceparent(this.request.headers['traceparent'])?.traceId ?? null;
  }

  /** Sets a header of the response, replacing one of the same name. @param name in lower case */
  setHeader(name: string, value: string): void {
    const at = this.#headers.indexOf(name);
    if (at === -1 || at % 2 === 1) this.#headers.push(name, value);
    else this.#headers[at + 1] = value;
  }

  /** Adds a header to the response, keeping others of the same name. @param name in lower case */
  addHeader(name: string, value: string): void {
    this.#headers.push(name, value);
  }

  /** Sends the response, unless one has begun or the client is gone. */
  answer(status: number, body: string, contentType = 'application/json; charset=utf-8'): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    const length = String(Buffer.byteLength(body));
    this.time.pause();
    response.writeHead(status, [...this.#headers, 'content-type', contentType, 'content-length', length, 'cache-control', 'no-store']);
    response.end(body);
  }

  /** Sends bytes as the response; null: no body. @param headers name, value, name, value ..., names in lower case */
  answerBytes(status: number, bytes: Buffer | null, headers: readonly string[]): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    this.time.pause();
    response.writeHead(status, [...this.#headers, ...headers, ...(bytes === null ? [] : ['content-length', String(bytes.length)])]);
    response.end(bytes ?? undefined);
  }

  /** Begins a response that is streamed, and asks proxies not to buffer it. */
  stream(contentType: string): ServerResponse {
    const { response } = this;
    response.writeHead(200, [...this.#headers, 'content-type', contentType, 'cache-control', 'no-store', 'x-accel-buffering', 'no']);
    return response;
  }

  /** Aborts with `ClientGone` when the client disconnects before its response. */
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

const requestIdShape = /^[\w.:-]{1,64}$/;

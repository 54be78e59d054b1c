/** The HTTP server: Express chooses the area of a request (router.ts says why not more), and every failure is JSON, whatever the path or method. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  hasSeveralHosts,
  takeHostOfTarget,
  type ClientAddresses,
  type Logger,
  type RequestCode,
  type Tracing,
  EqualLines,
  targetOf,
  withoutSecrets,
} from '@perch/runtime';
import { ApiError, compileActions, errorCodes, type ErrorCode } from '@perch/schema';
import { isProbeAccount } from '@perch/store';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Request } from 'express';
import type { ActivityLog } from '../activity/activity-log.js';
import { crossOrigin } from '../http/cors.js';
import type { Drain } from '../http/drain.js';
import { refuseMalformed, sendFailure, idsOf, isServiceFault } from '../http/errors.js';
import { Exchange } from '../http/exchange.js';
import { expressClasses } from '../http/express-prototypes.js';
import { notFound } from '../http/router.js';
import type { GatewayMetrics } from '../telemetry/metrics.js';
import type { Admission } from '../auth/admission.js';

export interface AppOptions {
  log: Logger;
  addresses: ClientAddresses;
  metrics: GatewayMetrics;
  activity: Pick<ActivityLog, 'ended'>;
  tracing: Tracing | null;
  drain: Drain;
  instance: string;
  rest: (exchange: Exchange) => Promise<void>;
  mcp: (exchange: Exchange) => Promise<void>;
  console: (exchange: Exchange) => Promise<void>;
  consoleRest: (exchange: Exchange) => Promise<void>;
  descriptions: Area;
  oauth: Area;
  /** Serves the files of the console. Resolves to whether the path was one of them. */
  page: (exchange: Exchange) => Promise<boolean>;
}

interface Area {
  readonly paths: readonly string[];
  readonly answer: (exchange: Exchange) => Promise<void>;
}

export interface App {
  readonly express: Express;
  readonly onRequest: RequestListener;
  readonly newRequestId: () => string;
}

const shownPathMax = 200;

export function createApp({
  log,
  addresses,
  metrics,
  activity,
  tracing,
  drain,
  instance,
  rest,
  mcp,
  console,
  consoleRest,
  descriptions,
  oauth,
  page,
}: AppOptions): App {
  const app = express();
  const calls = new CallLog(log);
  let requests = 0;
  // Unique across gateways, because the instance id is.
  const newRequestId = (): string => `${instance}-${(++requests).toString(36)}`;
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const exchange = new Exchange(request, response, newRequestId());
    (response as WithExchange)[exchangeOfResponse] = exchange;
    drain.enter();
    addresses.noteHeader(request);
    takeHostOfTarget(request);
    const { socket } = request;
    let isOver = false;
    const ended = (): void => {
      if (isOver) return;
      isOver = true;
      if (!response.writableFinished) exchange.hangUp();
      const status = response.writableFinished ? response.statusCode : 0;
      const now = performance.now();
      const code = exchange.code ?? codeOf(status);
      // A call that was not admitted names no account: one of a probe counts then.
      if (exchange.caller === null || !isProbeAccount(exchange.caller.account)) metrics.ended(exchange.action, code, now - exchange.startedAt);
      calls.ended(exchange, code, now);
      activity.ended(exchange, code, now);
      endSpan(exchange, status, code);
      drain.leave();
    };
    // A response queued behind another one on its connection emits no 'close' until it is its turn.
    if (response.socket === null) {
      socket.setMaxListeners(0).once('close', ended);
      response.once('close', () => socket.off('close', ended));
    }
    response.on('close', ended);
    if (hasSeveralHosts(request)) rejectHosts(exchange);
    else app(request, response);
  }
  function rejectHosts(exchange: Exchange): void {
    exchange.setHeader('connection', 'close');
    sendFailure(exchange, new ApiError('bad_argument', 'The request has more than one Host header. Send one.'), log);
  }
  const nothing: RequestHandler = ({ path }) => {
    throw notFound(path.length > shownPathMax ? `${path.slice(0, shownPathMax)}...` : path, ' The interface is described at /v1/openapi.json.');
  };
  // Express recognizes an error handler by its four parameters.
  const failed: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    sendFailure(exchangeOf(response), error, log);
  };

  /** Requests for files and descriptions are not traced. */
  const traced = (response: ServerResponse): Exchange => {
    const exchange = exchangeOf(response);
    if (tracing !== null) beginSpan(tracing, exchange);
    return exchange;
  };
  app.use('/v1', (_request, response) => {
    const exchange = traced(response);
    return crossOrigin(exchange) ? undefined : rest(exchange);
  });
  app.all(['/mcp', '/mcp/'], (_request, response) => mcp(traced(response)));
  for (const { paths, answer } of [descriptions, oauth]) app.all([...paths], (_request, response) => answer(exchangeOf(response)));
  app.use('/console/v1', (_request, response) => consoleRest(traced(response)));
  app.use('/console', (_request, response) => console(exchangeOf(response)));
  app.use(async (_request, response, next) => {
    if (!(await page(exchangeOf(response)))) next();
  });
  app.use(nothing);
  app.use(failed);
  return { express: app, onRequest, newRequestId };
}

/** Returns the code of a request that ended without an `ApiError`. @param status as sent; 0 if the client closed its connection first */
function codeOf(status: number): RequestCode {
  if (status === 0) return 'client_closed';
  return status < 400 ? 'ok' : 'bad_argument';
}

/** @param keepAliveMs how long a connection stays open between two requests; Node.js closes it a second later than it says in its answers */
export function createHttpServer({ express: app, onRequest, newRequestId }: App, keepAliveMs: number): Server {
  const server = createServer(
    {
      ...expressClasses(app),
      noDelay: true,
      keepAliveTimeout: keepAliveMs,
      // Limits for slow requests: for the headers, then for the whole request, including its wait for the body budget (body-budget.ts).
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
      // Node would answer a missing Host with an empty 400. HTTP/1.0 clients send none, and nothing here depends on it.
      requireHostHeader: false,
    },
    onRequest,
  );
  // The body is requested only after the API key is admitted: json-body.ts sends "100 Continue".
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuseMalformed(error, socket, newRequestId()));
  return server;
}

const exchangeOfResponse = Symbol('exchange');
type WithExchange = ServerResponse & { [exchangeOfResponse]?: Exchange };

export function exchangeOf(response: ServerResponse): Exchange {
  return (response as WithExchange)[exchangeOfResponse]!;
}

/** Does the one-time work of the first calls before the gateway listens: on a busy machine they failed with a Redis timeout. */
const unknownKey = `Bearer pk_${'0'.repeat(43)}`;
const unknownRobotId = 'r-0000000000';

export async function warmUp(admission: Pick<Admission, 'admit'>): Promise<void> {
  compileActions();
  const exchange = { request: { headers: { authorization: unknownKey } }, setHeader: () => {}, caller: null, action: 'state' as const };
  // The call is rejected and charged to no account. It loads the scripts into Redis and runs the code path once.
  await admission.admit(exchange, unknownRobotId, 0).catch(() => {});
}

/** A call is slow if the service's own time exceeds this, ms. A call that addresses no robot may wait for Redis to write to disk. */
const slowMs = 1000;
const slowWithDiskMs = 3000;

/**
 * `warn` for a call that failed because of the service, which the logger limits by code and error, so that an outage fills no disk; `info` for one that
 * was slow because of it, or that a stopping instance refused; `debug` for others.
 */
export class CallLog {
  readonly #log: Logger;
  readonly #limit = new EqualLines();

  constructor(log: Logger) {
    this.#log = log;
  }

  ended(exchange: Exchange, code: RequestCode, now: number): void {
    const serviceMs = exchange.time.ms(now);
    if (isServiceFault(code)) this.#failed(exchange, code, now, serviceMs);
    else if (serviceMs > (exchange.robotNamed === null ? slowWithDiskMs : slowMs))
      this.#inform(fieldsOf(exchange, code, now, serviceMs), 'a call was slow by the service');
    else if (this.#log.isLevelEnabled('debug')) this.#log.debug(fieldsOf(exchange, code, now, serviceMs), 'request ended');
  }

  #failed(exchange: Exchange, code: RequestCode, now: number, serviceMs: number): void {
    const { cause } = exchange;
    const fields = fieldsOf(exchange, code, now, serviceMs);
    const message = 'a call failed by the service';
    if (code === 'draining') this.#inform(fields, message);
    // The stack of a bug is logged separately, at `error`.
    else this.#log.warn(cause === undefined || code === 'internal' ? fields : { ...fields, err: cause }, message);
  }

  /** The logger limits no lines at `info`. */
  #inform(fields: CallFields, message: string): void {
    const { code } = fields;
    const leftOut = (count: number): void => this.#log.info({ left_out: count, code, line: message }, 'equal lines were left out');
    if (this.#limit.admit(`${message} ${code}`, leftOut)) this.#log.info(fields, message);
  }
}

type CallFields = ReturnType<typeof fieldsOf>;

function fieldsOf(exchange: Exchange, code: RequestCode, now: number, serviceMs: number) {
  const { action, robot, startedAt } = exchange;
  return {
    ...idsOf(exchange),
    action,
    code,
    ...(robot === null ? {} : { robot }),
    ms: Math.round(now - startedAt),
    service_ms: Math.round(serviceMs),
  };
}

const pathMax = 200;

function beginSpan(tracing: Tracing, exchange: Exchange): void {
  const { method = '', headers } = exchange.request;
  exchange.span = tracing.sample(method, headers['traceparent'], {
    kind: 'server',
    startedAt: exchange.startedAt,
    attributes: { 'http.request.method': method },
  });
}

/** @param status as sent; 0 if the client disconnected before its response */
function endSpan(exchange: Exchange, status: number, code: RequestCode): void {
  const { span } = exchange;
  if (span === null) return;
  const { route, action, robot, requestId } = exchange;
  const { method = '' } = exchange.request;
  if (route !== null) {
    span.rename(`${method} ${route}`);
    // A path without a known route can contain anything, secrets included.
    span.set({ 'http.route': route, 'url.path': withoutSecrets(pathOf(exchange)).slice(0, pathMax) });
  }
  // The client may have chosen the id.
  span.set({ 'perch.action': action, 'perch.code': code, 'perch.request_id': withoutSecrets(requestId) });
  if (robot !== null) span.set({ 'perch.robot': robot });
  if (status !== 0) span.set({ 'http.response.status_code': status });
  if (isServerError(status, code)) span.fail(code);
  span.end();
}

/** Returns the whole path: Express passes a handler only the part behind its mount. */
function pathOf({ request }: Exchange): string {
  const { originalUrl } = request as Partial<Request>;
  return targetOf(originalUrl === undefined ? request : { url: originalUrl }).path;
}

/** Returns true also if only the status of the code is a server error: a failed tool call is answered with 200. */
function isServerError(status: number, code: RequestCode): boolean {
  return status >= 500 || (code in errorCodes && errorCodes[code as ErrorCode].status >= 500);
}

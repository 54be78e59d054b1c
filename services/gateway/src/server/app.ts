/** The HTTP server: Express chooses the area of a request (router.ts says why not more), and every failure is JSON, whatever the path or method. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasSeveralHosts, takeHostOfTarget, type ClientAddresses, type Logger, type RequestCode, type Tracing } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import { isProbeAccount } from '@perch/store';
import express from 'express';
import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import type { ActivityLog } from '../activity/activity-log.js';
import { CallLog } from '../telemetry/call-log.js';
import { crossOrigin } from '../http/cors.js';
import type { Drain } from '../http/drain.js';
import { refuseMalformed, sendFailure } from '../http/errors.js';
import { Exchange } from '../http/exchange.js';
import { expressClasses } from '../http/fast-exchange/express-prototypes.js';
import { notFound } from '../http/router.js';
import type { GatewayMetrics } from '../telemetry/metrics.js';
import { beginSpan, endSpan } from '../telemetry/request-span.js';

export interface AppOptions {
  log: Logger;
  addresses: ClientAddresses;
  metrics: GatewayMetrics;
  activity: Pick<ActivityLog, 'ended'>;
  tracing: Tracing | null;
  drain: Drain;
  newRequestId: () => string;
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
}

const shownPathMax = 200;

export function createApp({
  log,
  addresses,
  metrics,
  activity,
  tracing,
  drain,
  newRequestId,
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
  return { express: app, onRequest };
}

/** Returns the code of a request that ended without an `ApiError`. @param status as sent; 0 if the client closed its connection first */
function codeOf(status: number): RequestCode {
  if (status === 0) return 'client_closed';
  return status < 400 ? 'ok' : 'bad_argument';
}

/** @param keepAliveMs how long a connection stays open between two requests; Node.js closes it a second later than it says in its answers */
export function createHttpServer({ express: app, onRequest }: App, newRequestId: () => string, keepAliveMs: number): Server {
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

/**
 * The HTTP server: express, with every failure as JSON, whatever path or method.
 *
 * Express replaces the prototype of each request and response, which costs more CPU than the rest of its work.
 * Node creates them with those prototypes from the start, so that Express has nothing to replace.
 */
import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { hasSeveralHosts, type ClientAddresses, type Logger, type RequestCode, type Tracing } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import express from 'express';
import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import { CallLog } from '../telemetry/call-log.js';
import { crossOrigin } from './cors.js';
import type { Drain } from './drain.js';
import { refuseMalformed, sendFailure } from './errors.js';
import { Exchange } from './exchange.js';
import type { GatewayMetrics } from '../telemetry/metrics.js';
import { openPaths } from '../discovery/open-descriptions.js';
import { beginSpan, endSpan } from '../telemetry/traced-calls.js';

export interface AppOptions {
  log: Logger;
  addresses: ClientAddresses;
  metrics: GatewayMetrics;
  /** Null: no traces. */
  tracing: Tracing | null;
  drain: Drain;
  newRequestId: () => string;
  /** Everything under /v1, with `exchangeOf(response)` at hand. */
  rest: (exchange: Exchange) => Promise<void>;
  /** Everything at /mcp. */
  mcp: (exchange: Exchange) => Promise<void>;
  /** Everything under /console but the next. */
  console: (exchange: Exchange) => Promise<void>;
  /** Everything under /console/v1: `rest` for the page's session. */
  consoleRest: (exchange: Exchange) => Promise<void>;
  /** Descriptions for anyone. */
  descriptions: (exchange: Exchange) => void;
  /** What is the web page's; answers whether it was. */
  page: (exchange: Exchange) => Promise<boolean>;
}

/** The app, whole: what `createHttpServer` calls for each request. */
export interface App {
  readonly express: Express;
  readonly onRequest: RequestListener;
}

/** Of a path that leads nowhere, characters. */
const shownPathMax = 200;

export function createApp({
  log,
  addresses,
  metrics,
  tracing,
  drain,
  newRequestId,
  rest,
  mcp,
  console,
  consoleRest,
  descriptions,
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
    const { socket } = request;
    let over = false;
    const ended = (): void => {
      if (over) return;
      over = true;
      if (!response.writableFinished) exchange.hangUp();
      const status = response.writableFinished ? response.statusCode : 0;
      const now = performance.now();
      const code = exchange.code ?? codeOf(status);
      metrics.ended(exchange.action, code, now - exchange.startedAt);
      calls.ended(exchange, code, now);
      endSpan(exchange, status, code);
      drain.leave();
    };
    // A response that stands in line behind another of its connection hears of no end before its turn.
    if (response.socket === null) {
      socket.setMaxListeners(0).once('close', ended);
      response.once('close', () => socket.off('close', ended));
    }
    response.on('close', ended);
    if (hasSeveralHosts(request)) refuseHosts(exchange);
    else app(request, response);
  }
  function refuseHosts(exchange: Exchange): void {
    exchange.setHeader('connection', 'close');
    sendFailure(exchange, new ApiError('bad_argument', 'The request has more than one Host header. Send one.'), log);
  }
  const nothingThere: RequestHandler = ({ path }) => {
    const shown = path.length > shownPathMax ? `${path.slice(0, shownPathMax)}...` : path;
    throw new ApiError('not_found', `There is nothing at ${shown}. The interface is described at /v1/openapi.json.`);
  };
  // Express tells an error handler by its four parameters.
  const failed: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    sendFailure(exchangeOf(response), error, log);
  };

  /** The calls that are traced: what programs, agents and the page ask for, without files and descriptions. */
  const called = (response: ServerResponse): Exchange => {
    const exchange = exchangeOf(response);
    if (tracing !== null) beginSpan(tracing, exchange);
    return exchange;
  };
  app.use('/v1', (_request, response) => {
    const exchange = called(response);
    return crossOrigin(exchange) ? undefined : rest(exchange);
  });
  app.all(['/mcp', '/mcp/'], (_request, response) => mcp(called(response)));
  app.all(openPaths, (_request, response) => descriptions(exchangeOf(response)));
  app.use('/console/v1', (_request, response) => consoleRest(called(response)));
  app.use('/console', (_request, response) => console(exchangeOf(response)));
  app.use(async (_request, response, next) => {
    if (!(await page(exchangeOf(response)))) next();
  });
  app.use(nothingThere);
  app.use(failed);
  return { express: app, onRequest };
}

/** The code of a request that ended without an `ApiError`. @param status as sent; 0 when the client closed its connection first */
function codeOf(status: number): RequestCode {
  if (status === 0) return 'client_closed';
  return status < 400 ? 'ok' : 'bad_argument';
}

/** A server for the app; `listen` is the caller's. */
export function createHttpServer({ express: app, onRequest }: App, newRequestId: () => string): Server {
  const server = createServer(
    {
      IncomingMessage: withPrototype(IncomingMessage, app.request),
      ServerResponse: withPrototype(ServerResponse, app.response),
      noDelay: true,
      keepAliveTimeout: 65_000,
      // Bounds requests that arrive slowly: their headers, then the whole of them, waiting for room (body-budget.ts) included.
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
      // Node would answer a missing Host with an empty 400; HTTP/1.0 clients have none, and nothing here depends on it.
      requireHostHeader: false,
    },
    onRequest,
  );
  // The body is asked for only once the key is admitted; json-body.ts says "continue".
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

/** A constructor as node's own, which calls them by `new` with what they take: its objects have `prototype`, which inherits from theirs. */
function withPrototype<C extends typeof IncomingMessage | typeof ServerResponse>(base: C, prototype: object): C {
  // Node's are functions, not classes. `Reflect.construct` would do as well, and cost each request a tenth of all its time.
  const construct = base as unknown as (this: object, first: unknown, second: unknown) => void;
  function Made(this: object, first: unknown, second: unknown): void {
    construct.call(this, first, second);
  }
  // V8 counts a constructor's parents for the room it gives an object; without, every property would be looked up in a hash table.
  Object.setPrototypeOf(Made, base);
  Made.prototype = prototype;
  return Made as unknown as C;
}

/** The span of an HTTP request: begun where a call comes in, ended with its answer. */
import { targetOf, withoutSecrets, type RequestCode, type Tracing } from '@perch/runtime';
import { errorCodes, type ErrorCode } from '@perch/schema';
import type { Request } from 'express';
import type { Exchange } from '../http/exchange.js';

const pathMax = 200;

/** Begins the span of a request, if it is sampled. */
export function beginSpan(tracing: Tracing, exchange: Exchange): void {
  const { method = '', headers } = exchange.request;
  exchange.span = tracing.sample(method, headers['traceparent'], {
    kind: 'server',
    startedAt: exchange.startedAt,
    attributes: { 'http.request.method': method },
  });
}

/** Ends the span of a request, if it has one. @param status as sent; 0 when the client hung up before its answer */
export function endSpan(exchange: Exchange, status: number, code: RequestCode): void {
  const { span } = exchange;
  if (span === null) return;
  const { route, action, robot, requestId } = exchange;
  const { method = '' } = exchange.request;
  if (route !== null) {
    span.rename(`${method} ${route}`);
    // A path without a known route can hold anything.
    span.set({ 'http.route': route, 'url.path': withoutSecrets(pathOf(exchange)).slice(0, pathMax) });
  }
  // The caller may have chosen the id.
  span.set({ 'perch.action': action, 'perch.code': code, 'perch.request_id': withoutSecrets(requestId) });
  if (robot !== null) span.set({ 'perch.robot': robot });
  if (status !== 0) span.set({ 'http.response.status_code': status });
  if (isServerError(status, code)) span.fail(code);
  span.end();
}

/** The whole path: Express leaves a handler only what is behind its mount. */
function pathOf({ request }: Exchange): string {
  const { originalUrl } = request as Partial<Request>;
  return targetOf(originalUrl === undefined ? request : { url: originalUrl }).path;
}

/** By the code where it has a status: a failed call of a tool is answered with 200. */
function isServerError(status: number, code: RequestCode): boolean {
  return status >= 500 || (code in errorCodes && errorCodes[code as ErrorCode].status >= 500);
}

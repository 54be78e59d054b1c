import { targetOf, withoutSecrets, type RequestCode, type Tracing } from '@perch/runtime';
import { errorCodes, type ErrorCode } from '@perch/schema';
import type { Request } from 'express';
import type { Exchange } from '../http/exchange.js';

const pathMax = 200;

export function beginSpan(tracing: Tracing, exchange: Exchange): void {
  const { method = '', headers } = exchange.request;
  exchange.span = tracing.sample(method, headers['traceparent'], {
    kind: 'server',
    startedAt: exchange.startedAt,
    attributes: { 'http.request.method': method },
  });
}

/** @param status as sent; 0 if the client disconnected before its response */
export function endSpan(exchange: Exchange, status: number, code: RequestCode): void {
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

/** Allows pages of any origin to call /v1: it authenticates by an API key in a header, which the page must know, never by a cookie. */
import type { Exchange } from './exchange.js';

const exposedHeaders = 'ratelimit, ratelimit-policy, retry-after, x-request-id, idempotent-replayed';
const preflightMaxAgeS = 86_400;

export function crossOrigin(exchange: Exchange): boolean {
  const { method, headers } = exchange.request;
  if (headers.origin === undefined) return false;
  exchange.setHeader('access-control-allow-origin', '*');
  exchange.setHeader('access-control-expose-headers', exposedHeaders);
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  exchange.setHeader('access-control-allow-methods', 'GET, POST, PATCH, DELETE');
  exchange.setHeader('access-control-allow-headers', 'authorization, content-type, idempotency-key, last-event-id, traceparent, x-request-id');
  exchange.setHeader('access-control-max-age', String(preflightMaxAgeS));
  exchange.action = 'preflight';
  exchange.answer(200, '');
  return true;
}

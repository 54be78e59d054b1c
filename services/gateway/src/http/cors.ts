/**
 * Pages of any origin may call /v1: a key in a header opens it, which a page has to know, and no cookie does. So nothing is lost by answering all.
 * Requests without an Origin are not touched.
 */
import type { Exchange } from './exchange.js';

const exposed = 'ratelimit, ratelimit-policy, retry-after, x-request-id, idempotent-replayed';
/** How long a browser may keep the answer to its question, seconds. */
const keptS = 86_400;

/** @returns whether the request was a browser's question beforehand, which is answered by this */
export function crossOrigin(exchange: Exchange): boolean {
  const { method, headers } = exchange.request;
  if (headers.origin === undefined) return false;
  exchange.setHeader('access-control-allow-origin', '*');
  exchange.setHeader('access-control-expose-headers', exposed);
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  exchange.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  exchange.setHeader('access-control-allow-headers', 'authorization, content-type, idempotency-key, last-event-id, traceparent, x-request-id');
  exchange.setHeader('access-control-max-age', String(keptS));
  exchange.action = 'preflight';
  exchange.answer(200, '');
  return true;
}

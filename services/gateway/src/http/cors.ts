/**
 * Allows pages of any origin to call /v1, /mcp and the endpoints of OAuth: they authenticate by a key or token in a header or body, which the page must
 * know, never by a cookie.
 */
import type { Exchange } from './exchange.js';

const exposedHeaders = 'ratelimit, ratelimit-policy, retry-after, x-request-id, idempotent-replayed, www-authenticate';
const allowedHeaders =
  'authorization, content-type, idempotency-key, last-event-id, traceparent, x-request-id, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name';
/** Arguments of a tool that a client of MCP's newest revision repeats as headers. */
const parameterHeader = /^mcp-param-[a-z0-9_.-]{1,100}$/;
const preflightMaxAgeS = 86_400;

export function crossOrigin(exchange: Exchange): boolean {
  const { method, headers } = exchange.request;
  if (headers.origin === undefined) return false;
  exchange.setHeader('access-control-allow-origin', '*');
  exchange.setHeader('access-control-expose-headers', exposedHeaders);
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  exchange.setHeader('access-control-allow-methods', 'GET, POST, PATCH, DELETE');
  exchange.setHeader('access-control-allow-headers', [allowedHeaders, ...parametersAskedFor(headers['access-control-request-headers'])].join(', '));
  exchange.setHeader('access-control-max-age', String(preflightMaxAgeS));
  exchange.action = 'preflight';
  exchange.answer(200, '');
  return true;
}

function parametersAskedFor(asked = ''): string[] {
  const names = asked.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => parameterHeader.test(name)).slice(0, 100);
}

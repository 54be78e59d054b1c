/**
 * `fetch` over a new connection for each request, and with a new DNS lookup. A connection that is kept open hides that new ones fail: that the name, the
 * balancer or the certificate has changed. The platform's `fetch` also goes on connecting after a request was given up, and sends the next one there.
 */
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';

/** Statuses whose responses have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

export const freshFetch: typeof fetch = async (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const { method = 'GET', headers, body = null, signal } = init;
  signal?.throwIfAborted();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(
      url,
      { method, agent: false, headers: Object.fromEntries(new Headers(headers)), ...(signal && { signal }) },
      resolve,
    );
    sent.on('error', reject);
    sent.end(body as string | null);
  });
  const { statusCode = 0, rawHeaders } = response;
  const answered = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) answered.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  if (bodiless.has(statusCode)) response.resume();
  return new Response(bodiless.has(statusCode) ? null : (Readable.toWeb(response) as ReadableStream), { status: statusCode, headers: answered });
};

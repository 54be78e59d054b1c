/** Reads from the head of an HTTP request what Node does not check: the form of the target, and repeated Host headers. */
import type { IncomingMessage } from 'node:http';

export interface Target {
  path: string;
  query: string;
}

/** Splits a request target into path and query. Proxies may send it in absolute form, `http://host/path` (RFC 9112, 3.2.2). */
export function targetOf({ url = '/' }: Pick<IncomingMessage, 'url'>): Target {
  const mark = url.indexOf('?');
  const before = mark === -1 ? url : url.slice(0, mark);
  const path = before.startsWith('/') ? before : before.replace(/^https?:\/\/[^/]*/i, '') || '/';
  return { path, query: mark === -1 ? '' : url.slice(mark + 1) };
}

/** Replaces the Host header by the host of a target in absolute form, which counts alone (RFC 9112, 3.2.2). Call it before anything reads the header. */
export function takeHostOfTarget({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): void {
  const host = url.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (host !== undefined) headers.host = host;
}

/** RFC 9112, 3.2 requires 400: a proxy may have chosen by one Host header, the service by another. Node keeps the first alone. */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

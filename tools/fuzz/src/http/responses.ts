/** Strict: anything but HTTP/1.1 answers is returned as `rest`. */
import type { Answer } from '../answer-problems.js';

export interface Received {
  answers: Answer[];
  rest: string;
}

/** @param bytes as latin1, so that lengths are bytes @param bodiless whether the n-th answer has no body, as for HEAD */
export function answersIn(bytes: string, bodiless: (n: number) => boolean, tookMs: number): Received {
  const answers: Answer[] = [];
  let at = 0;
  for (;;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd === -1) break;
    const [statusLine = '', ...lines] = bytes.slice(at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) break;
    if (status === 100) {
      at = headEnd + 4;
      continue;
    }
    const headers = headersIn(lines);
    const body = bodiless(answers.length) || status === 304 ? { bytes: '', end: headEnd + 4 } : bodyAt(bytes, headEnd + 4, headers);
    if (body === null) break;
    answers.push({ status, headers, text: Buffer.from(body.bytes, 'latin1').toString('utf8'), tookMs });
    at = body.end;
  }
  return { answers, rest: bytes.slice(at) };
}

/** Null for an incomplete body, and for an event stream, which is no answer that ends. */
function bodyAt(bytes: string, start: number, headers: Readonly<Record<string, string>>): { bytes: string; end: number } | null {
  if (headers['transfer-encoding'] === 'chunked' && !headers['content-type']?.startsWith('text/event-stream')) return chunksAt(bytes, start);
  const end = start + Number(headers['content-length'] ?? Number.NaN);
  return Number.isNaN(end) || end > bytes.length ? null : { bytes: bytes.slice(start, end), end };
}

function chunksAt(bytes: string, start: number): { bytes: string; end: number } | null {
  let body = '';
  for (let at = start; ;) {
    const sizeEnd = bytes.indexOf('\r\n', at);
    const size = sizeEnd === -1 ? '' : bytes.slice(at, sizeEnd);
    if (!/^[0-9a-f]{1,8}$/i.test(size)) return null;
    const from = sizeEnd + 2;
    const end = from + Number.parseInt(size, 16);
    if (bytes.slice(end, end + 2) !== '\r\n') return null;
    if (end === from) return { bytes: body, end: end + 2 };
    body += bytes.slice(from, end);
    at = end + 2;
  }
}

/** Values of repeated headers are joined by newlines. */
export function headersIn(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}\n${value}` : value;
  }
  return headers;
}

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
    const length = bodiless(answers.length) || status === 304 ? 0 : Number(headers['content-length'] ?? Number.NaN);
    const bodyEnd = headEnd + 4 + length;
    if (Number.isNaN(length) || bodyEnd > bytes.length) break;
    answers.push({ status, headers, text: Buffer.from(bytes.slice(headEnd + 4, bodyEnd), 'latin1').toString('utf8'), tookMs });
    at = bodyEnd;
  }
  return { answers, rest: bytes.slice(at) };
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

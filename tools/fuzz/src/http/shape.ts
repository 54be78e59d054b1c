import type { Answer } from '../answer-problems.js';

export interface Shape {
  what: string;
  parts: readonly Buffer[];
  /** Statuses of each answer; `closed`: the connection may be closed instead. More answers are a violation. */
  answers: readonly (readonly (number | 'closed')[])[];
  bodiless?: (n: number) => boolean;
  /** No answer may come while the service waits. */
  half?: boolean;
  check?: (answer: Answer, n: number, answers: readonly Answer[]) => string | null;
}

export interface Head {
  method?: string;
  path: string;
  key?: string | null;
  headers?: readonly string[];
  host?: string | null;
  goesOn?: boolean;
}

/** Arbitraries are created once; each request gets another key. */
export const anyKey = `pk_${'K'.repeat(43)}`;

/** Closes its connection by default. A header is a whole line. */
export function headOf({ method = 'POST', path, key, headers = [], host = 'fuzz', goesOn = false }: Head): string {
  const lines = [`${method} ${path} HTTP/1.1`, ...(host === null ? [] : [`host: ${host}`]), ...(goesOn ? [] : ['connection: close'])];
  if (key !== undefined && key !== null) lines.push(`authorization: Bearer ${key}`);
  return `${[...lines, ...headers].join('\r\n')}\r\n\r\n`;
}

export function requestOf(head: Head, body: Buffer | string): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const headers = ['content-type: application/json', ...(head.headers ?? []), `content-length: ${bytes.length}`];
  return Buffer.concat([Buffer.from(headOf({ ...head, headers }), 'latin1'), bytes]);
}

export function shownShape({ parts }: Shape): string {
  const bytes = Buffer.concat(parts);
  return `base64 -d <<< ${bytes.toString('base64')} | nc HOST PORT   # ${JSON.stringify(bytes.toString('latin1').slice(0, 600))}`;
}

/** One connection's worth of hostile bytes, and what may come back for it. */
import type { Answer } from '../judge.js';

export interface Shape {
  what: string;
  parts: readonly Buffer[];
  /** The statuses that each answer may have, in order; `closed`: the connection may be closed instead. More answers than these are a violation. */
  answers: readonly (readonly (number | 'closed')[])[];
  /** Whether the n-th answer is one to HEAD. */
  bodiless?: (n: number) => boolean;
  /** Whether what was sent is not a whole request: then no answer may come for as long as the service waits. */
  half?: boolean;
  /** What else an answer must hold. @returns what is wrong */
  check?: (answer: Answer, n: number, answers: readonly Answer[]) => string | null;
}

export interface Head {
  method?: string;
  path: string;
  key?: string | null;
  headers?: readonly string[];
  host?: string | null;
  /** Whether more follows on the connection. */
  goesOn?: boolean;
}

/** Stands for a key in the arbitraries, which are made once; each request gets a fresh one in its place. */
export const anyKey = `pk_${'K'.repeat(43)}`;

/** The head of a request, which ends its connection unless told not to. A header is a whole line. */
export function headOf({ method = 'POST', path, key, headers = [], host = 'fuzz', goesOn = false }: Head): string {
  const lines = [`${method} ${path} HTTP/1.1`, ...(host === null ? [] : [`host: ${host}`]), ...(goesOn ? [] : ['connection: close'])];
  if (key !== undefined && key !== null) lines.push(`authorization: Bearer ${key}`);
  return `${[...lines, ...headers].join('\r\n')}\r\n\r\n`;
}

/** A whole request with a JSON body. */
export function requestOf(head: Head, body: Buffer | string): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const headers = ['content-type: application/json', ...(head.headers ?? []), `content-length: ${bytes.length}`];
  return Buffer.concat([Buffer.from(headOf({ ...head, headers }), 'latin1'), bytes]);
}

/** As it can be sent again. */
export function shownShape({ parts }: Shape): string {
  const bytes = Buffer.concat(parts);
  return `base64 -d <<< ${bytes.toString('base64')} | nc HOST PORT   # ${JSON.stringify(bytes.toString('latin1').slice(0, 600))}`;
}

import { errorCodes, linkRefusalHeader, linkRefusalPair, type ErrorCode } from '@perch/schema';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const bodyBytesMax = 4096;
const hangUpMs = 3000;
const discardMs = 2000;
const discardBytesMax = 2 * 1024 * 1024;

export const tooLarge = Symbol('too large');

export interface Failure {
  status: number;
  code: ErrorCode;
  error: string;
  retryAfterS?: number;
}

export function failure(code: ErrorCode, error: string, more: { status?: number; retryAfterS?: number } = {}): Failure {
  return {
    status: more.status ?? errorCodes[code].status,
    code,
    error,
    ...(more.retryAfterS === undefined ? {} : { retryAfterS: more.retryAfterS }),
  };
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, jsonHeaders(text));
  response.end(text);
}

function jsonHeaders(text: string): Record<string, string | number> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
}

export function answerFailure(response: ServerResponse, problem: Failure): void {
  if (problem.retryAfterS !== undefined) response.setHeader('retry-after', problem.retryAfterS);
  answerJson(response, problem.status, failureBody(problem));
}

export function refuseUpgrade(socket: Duplex, problem: Failure): void {
  const text = JSON.stringify(failureBody(problem));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
    ...(problem.status === 401 ? ['www-authenticate: Bearer', `${linkRefusalHeader}: ${linkRefusalPair}`] : []),
    ...(problem.status === 426 ? ['upgrade: websocket'] : []),
    ...(problem.retryAfterS === undefined ? [] : [`retry-after: ${problem.retryAfterS}`]),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  // Discard what the client still sends, so that it reads the response.
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), hangUpMs);
  socket.once('close', () => clearTimeout(cut));
}

/** Returns undefined if the body is not JSON, or `tooLarge`, in which case the request stays readable for `refuseBody`. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) return tooLarge;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bodyBytesMax) return tooLarge;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Discards the rest of the body: closing a socket with unread bytes resets the connection, and the client would lose the answer. */
export function refuseBody(request: IncomingMessage, response: ServerResponse): void {
  const problem = failure('body_too_large', `The body is larger than ${bodyBytesMax} bytes.`);
  const text = JSON.stringify(failureBody(problem));
  response.writeHead(problem.status, { ...jsonHeaders(text), connection: 'close' });
  response.write(text);
  let bytes = 0;
  const timer = setTimeout(() => response.end(), discardMs);
  request.on('data', (part: Buffer) => {
    if ((bytes += part.length) > discardBytesMax) response.end();
  });
  request.once('end', () => response.end());
  response.once('close', () => clearTimeout(timer));
  request.resume();
}

function failureBody({ code, error }: Failure): object {
  return { ok: false, error, code, request_id: randomUUID() };
}

/** JSON over node:http, for the few requests that are not a robot's socket: bodies in, answers out, also on a socket that is not upgraded. */
import { errorCodes, type ErrorCode } from '@perch/schema';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const bodyBytesMax = 4096;

export interface Failure {
  status: number;
  code: ErrorCode;
  error: string;
  retryAfterS?: number;
}

/** @param code gives the status, unless the protocol wants another */
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
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

export function answerFailure(response: ServerResponse, problem: Failure): void {
  if (problem.retryAfterS !== undefined) response.setHeader('retry-after', problem.retryAfterS);
  answerJson(response, problem.status, failureBody(problem));
}

/** Refuses an upgrade: an ordinary HTTP answer, and the end of the connection. */
export function refuseUpgrade(socket: Duplex, problem: Failure): void {
  const text = JSON.stringify(failureBody(problem));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
    ...(problem.status === 401 ? ['www-authenticate: Bearer'] : []),
    ...(problem.status === 426 ? ['upgrade: websocket'] : []),
    ...(problem.retryAfterS === undefined ? [] : [`retry-after: ${problem.retryAfterS}`]),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

/** The JSON of a small body; undefined when it is none, or too large. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bodyBytesMax) return undefined;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}

function failureBody({ code, error }: Failure): object {
  return { ok: false, error, code, request_id: randomUUID() };
}

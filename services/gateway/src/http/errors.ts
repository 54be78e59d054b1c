/** An error that is neither an `ApiError` nor a Redis failure is a bug: the client gets a fixed message, and the stack is logged. */
import type { Duplex } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@perch/runtime';
import { ApiError, ConsoleError, errorCodes, nextRequests, serviceFaultCodes, type ErrorCode, type Failure } from '@perch/schema';
import { asApiError, ClientGone } from '../calls/failures.js';
import type { Exchange } from './exchange.js';

/** Members of RFC 9457, added if the client accepts `application/problem+json`. */
interface ProblemMembers {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
}

export type Advice = Readonly<Partial<Record<ErrorCode, string>>>;

/** @param advice of `next`, in words for this client */
export function failureBody(error: ApiError, requestId: string, advice: Advice = nextRequests): Failure {
  const next = advice[error.code];
  return {
    ok: false,
    error: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.field === undefined ? {} : { field: error.field }),
    ...(next === undefined ? {} : { next }),
    ...(error.results === undefined ? {} : { results: [...error.results] as Record<string, unknown>[] }),
  };
}

/** Failures of the service are logged when the call ends (call-log.ts), the stack of a bug here. @param error what the client gets for `cause` */
export function noteFailure(exchange: Exchange, error: ApiError, cause: unknown, log: Logger): void {
  exchange.code = error.code;
  exchange.cause = error.cause;
  if (error.code === 'internal') log.error({ ...idsOf(exchange), err: cause }, 'a request failed');
  else if (error.status >= 500 && error.cause !== undefined && !isServiceFault(error.code))
    log.warn({ ...idsOf(exchange), code: error.code, err: error.cause }, 'a request could not be served');
}

export function idsOf({ requestId, traceId }: Exchange): { request_id: string; trace_id?: string } {
  return traceId === null ? { request_id: requestId } : { request_id: requestId, trace_id: traceId };
}

const serviceFaults: ReadonlySet<string> = new Set(serviceFaultCodes);

/** Whether the code is a failure of the service, not of its client or the robot, nor a limit of the account. */
export function isServiceFault(code: string): boolean {
  return serviceFaults.has(code);
}

export function sendFailure(exchange: Exchange, cause: unknown, log: Logger): void {
  const { request, response, requestId } = exchange;
  if (cause instanceof ClientGone || response.headersSent || response.destroyed) {
    if (!(cause instanceof ClientGone)) noteFailure(exchange, asApiError(cause), cause, log);
    response.destroy();
    return;
  }
  if (cause instanceof ConsoleError) {
    sendConsoleFailure(exchange, cause);
    return;
  }
  const error = asApiError(cause);
  noteFailure(exchange, error, cause, log);
  if (error.retryAfterS !== undefined) exchange.setHeader('retry-after', String(Math.max(1, Math.ceil(error.retryAfterS))));
  if (error.code === 'unauthorized') exchange.setHeader('www-authenticate', bearerChallenge(request, exchange.challenge));
  // RFC 6750, 3.1.
  else if (error.code === 'scope_missing' && exchange.challenge !== null)
    exchange.setHeader('www-authenticate', `Bearer error="insufficient_scope", ${exchange.challenge}`);
  if (error.code === 'draining') exchange.setHeader('connection', 'close');
  const body = failureBody(error, requestId);
  const wantsProblem = request.headers.accept?.includes('application/problem+json') === true;
  if (wantsProblem) exchange.answer(error.status, JSON.stringify({ ...body, ...problemMembers(error, requestId) }), 'application/problem+json');
  else exchange.answer(error.status, JSON.stringify(body));
}

function bearerChallenge({ headers }: IncomingMessage, parameters: string | null): string {
  const all = [...(headers.authorization === undefined ? [] : ['error="invalid_token"']), ...(parameters === null ? [] : [parameters])];
  return ['Bearer', all.join(', ')].join(' ').trim();
}

function sendConsoleFailure(exchange: Exchange, { code, message, status, field, retryAfterS }: ConsoleError): void {
  exchange.code = code;
  if (retryAfterS !== undefined) exchange.setHeader('retry-after', String(Math.max(1, Math.ceil(retryAfterS))));
  const body = { ok: false, error: message, code, request_id: exchange.requestId, ...(field === undefined ? {} : { field }) };
  exchange.answer(status, JSON.stringify(body));
}

/** A complete request before it on the connection is answered first: with this 400, its client would conclude that it was not executed. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  unparsableSockets.add(socket);
  socket.emit(unparsable);
  // Browsers open connections ahead of need, and would take an answer to nothing for that of their next request.
  if (error.code === 'ECONNRESET' || (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0)) {
    socket.destroy();
    return;
  }
  // The parser reports the error again for every packet that follows.
  if (awaitingAnswer.has(socket)) return;
  const pending = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage;
  if (pending?.req.complete === true && socket.writable) {
    awaitingAnswer.add(socket);
    pending.once('close', () => {
      awaitingAnswer.delete(socket);
      refuseMalformed(error, socket, requestId);
    });
    return;
  }
  if (!socket.writable || pending?.headersSent === true) {
    // A socket whose writable side has ended still has a response to deliver.
    if (!socket.writableEnded) socket.destroy();
    return;
  }
  const message =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? 'The request did not arrive in time. Send it again, whole.'
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? 'The headers are larger than 16 KB. Send fewer or shorter ones.'
        : 'This is not a valid HTTP request.';
  const json = JSON.stringify(failureBody(new ApiError('bad_argument', message), requestId));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nx-content-type-options: nosniff\r\ncontent-length: ${Buffer.byteLength(json)}\r\nconnection: close\r\n\r\n${json}`,
    () => socket.destroy(),
  );
}

/** Event of a connection whose input can no longer be parsed: a request that is incomplete then stays incomplete. */
export const unparsable = 'unparsable';
const unparsableSockets = new WeakSet<Duplex>();

export function isUnparsable(socket: Duplex): boolean {
  return unparsableSockets.has(socket);
}

/** Connections that get a 400 as soon as their earlier request is answered. */
const awaitingAnswer = new WeakSet<Duplex>();

function problemMembers(error: ApiError, requestId: string): ProblemMembers {
  return {
    type: `urn:perch:error:${error.code}`,
    title: errorCodes[error.code].title,
    status: error.status,
    detail: error.message,
    instance: `urn:perch:request:${requestId}`,
  };
}

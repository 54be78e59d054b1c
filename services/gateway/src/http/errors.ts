/**
 * The one place where a failure becomes an answer: `{ok:false, error, code, request_id, field?}` with the status of its code.
 * What is not an `ApiError` or a lost Redis is our fault: a fixed sentence outside, the stack in the log.
 */
import type { Duplex } from 'node:stream';
import type { ServerResponse } from 'node:http';
import type { Logger } from '@perch/runtime';
import { ApiError, ConsoleError, errorCodes, serviceFaultCodes, type Failure } from '@perch/schema';
import { StoreError, UncertainWrite } from '@perch/store';
import type { Exchange } from './exchange.js';

/** RFC 9457's members, added where the client asks for `application/problem+json`. */
interface ProblemMembers {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
}

/** Why the signal of a call was aborted when its client hung up; nobody reads the answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

const storageIsFull =
  "The service's storage is full: nothing new can be stored. Reading state and events, stop, revoking keys, removing and signing out still work.";

/** What a failure is to the outside; the original stays its cause. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof UncertainWrite) {
    const look = 'It may have been done: look before trying again.';
    return error.outOfMemory
      ? new ApiError('storage_full', `${storageIsFull} ${look}`, { cause: error, retryAfterS: 10 })
      : new ApiError('service_unavailable', `The service cannot reach its storage. ${look}`, { cause: error, retryAfterS: 1 });
  }
  if (error instanceof StoreError) {
    if (error.outOfMemory) return new ApiError('storage_full', storageIsFull, { cause: error, retryAfterS: 10 });
    return error.kind === 'full'
      ? new ApiError('storage_full', `${error.message} Try again in a minute.`, { cause: error, retryAfterS: 5 })
      : new ApiError('service_unavailable', 'The service cannot reach its storage. Try again shortly.', { cause: error, retryAfterS: 1 });
  }
  return new ApiError('internal', 'Something went wrong on our side; the request id tells us what.', { cause: error });
}

export function failureBody(error: ApiError, requestId: string): Failure {
  return {
    ok: false,
    error: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.field === undefined ? {} : { field: error.field }),
    ...(error.results === undefined ? {} : { results: [...error.results] as Record<string, unknown>[] }),
  };
}

/**
 * Notes how a call failed, and logs what the caller is not told. A failure by the service leaves its line when the call ends (call-log.ts); one that
 * is a bug leaves its stack here.
 * @param error what `cause` is to the outside
 */
export function noteFailure(exchange: Exchange, error: ApiError, cause: unknown, log: Logger): void {
  exchange.code = error.code;
  exchange.cause = error.cause;
  if (error.code === 'internal') log.error({ ...idsOf(exchange), err: cause }, 'a request failed');
  else if (error.status >= 500 && error.cause !== undefined && !isServiceFault(error.code))
    log.warn({ ...idsOf(exchange), code: error.code, err: error.cause }, 'a request could not be served');
}

/** Fields of log lines that name a request. */
export function idsOf({ requestId, traceId }: Exchange): { request_id: string; trace_id?: string } {
  return traceId === null ? { request_id: requestId } : { request_id: requestId, trace_id: traceId };
}

const serviceFaults: ReadonlySet<string> = new Set(serviceFaultCodes);

/** Whether the service failed, not its caller, the robot or a bound of the account. */
export function isServiceFault(code: string): boolean {
  return serviceFaults.has(code);
}

/** Answers a request with a failure; nothing when the answer has begun or the client is gone. */
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
  if (error.code === 'unauthorized')
    exchange.setHeader('www-authenticate', request.headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
  if (error.code === 'draining') exchange.setHeader('connection', 'close');
  const body = failureBody(error, requestId);
  const wantsProblem = request.headers.accept?.includes('application/problem+json') === true;
  if (wantsProblem) exchange.answer(error.status, JSON.stringify({ ...body, ...problemMembers(error, requestId) }), 'application/problem+json');
  else exchange.answer(error.status, JSON.stringify(body));
}

/** `{ok:false, error, code, field?}` as every failure; the page shows the sentence where the person looks. */
function sendConsoleFailure(exchange: Exchange, { code, message, status, field, retryAfterS }: ConsoleError): void {
  exchange.code = code;
  if (retryAfterS !== undefined) exchange.setHeader('retry-after', String(Math.max(1, Math.ceil(retryAfterS))));
  const body = { ok: false, error: message, code, request_id: exchange.requestId, ...(field === undefined ? {} : { field }) };
  exchange.answer(status, JSON.stringify(body));
}

/**
 * Answers what is not even a request: malformed HTTP, headers too large, or one that did not arrive in time.
 * Bound to the server's `clientError`, where there is no response object, only the socket.
 * A whole request that came before on the connection is answered first: told 400 in its place, its client would take it for not done.
 */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex, requestId: string): void {
  unparsableSockets.add(socket);
  socket.emit(unparsable);
  if (error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  // The parser complains again about every packet that follows.
  if (awaitingAnswer.has(socket)) return;
  const pending = (socket as Duplex & { _httpMessage?: ServerResponse })._httpMessage;
  if (pending?.req.complete === true && socket.writable) {
    awaitingAnswer.add(socket);
    pending.once('close', () => {
      awaitingAnswer.delete(socket);
      refuseMalformed(error, socket, requestId);
    });
    return;
  }
  if (!socket.writable || pending?.headersSent === true) {
    // One that was told to end still has an answer to deliver.
    if (!socket.writableEnded) socket.destroy();
    return;
  }
  const sentence =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? 'The request did not arrive in time. Send it again, whole.'
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? 'The headers are larger than 16 KB. Send fewer or shorter ones.'
        : 'This is not a request as HTTP has it.';
  const json = JSON.stringify(failureBody(new ApiError('bad_argument', sentence), requestId));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nx-content-type-options: nosniff\r\ncontent-length: ${Buffer.byteLength(json)}\r\nconnection: close\r\n\r\n${json}`,
    () => socket.destroy(),
  );
}

/** Emitted on a connection whose input cannot be parsed any more: a request that has not arrived completely by then never will. */
export const unparsable = 'unparsable';
const unparsableSockets = new WeakSet<Duplex>();

export function isUnparsable(socket: Duplex): boolean {
  return unparsableSockets.has(socket);
}

/** Connections that are refused as soon as what was asked on them before is answered. */
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

/**
 * Reads the JSON body of a request, only after its key was admitted: nothing of a stranger's body is looked at.
 * Refuses in the order 413 and 415, then 400; never holds more than the largest body allowed.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, limits } from '@perch/schema';
import { ClientGone } from './errors.js';

/** The largest body that is taken, and what to do about a larger one. */
export interface BodyBound {
  bytesMax: number;
  help: string;
}

const actionBound: BodyBound = { bytesMax: limits.bodyBytesMax, help: 'Send smaller pictures.' };

/**
 * @throws {ApiError} body_too_large, not_json, bad_argument (empty), malformed_json; ClientGone when the client hangs up half-way
 */
export async function readJsonBody(request: IncomingMessage, response: ServerResponse, bound: BodyBound = actionBound): Promise<unknown> {
  const { headers } = request;
  const declared = Number(headers['content-length'] ?? 0);
  if (declared > bound.bytesMax) throw tooLarge(bound);
  const hasBody = declared > 0 || headers['transfer-encoding'] !== undefined;
  if (headers['content-type'] !== undefined || hasBody) requireJson(headers['content-type'] ?? '', headers['content-encoding']);
  if (!hasBody) throw emptyBody();

  // A client that asks first (curl, from 1 MB on) has been waiting with its body for the checks above.
  if (headers.expect?.toLowerCase() === '100-continue') response.writeContinue();
  // A small body came with its headers, while the key was looked up.
  const body = request.complete ? ((request.read() as Buffer | null) ?? Buffer.alloc(0)) : await readAll(request, bound);
  if (body.length > bound.bytesMax) throw tooLarge(bound);
  if (body.length === 0) throw emptyBody();
  if (!isUtf8(body)) throw new ApiError('malformed_json', 'The body is not valid UTF-8.');
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (error) {
    throw new ApiError('malformed_json', `The body is not valid JSON: ${(error as Error).message}`);
  }
}

function requireJson(contentType: string, contentEncoding: string | undefined): void {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json') {
    throw new ApiError('not_json', 'Send the arguments as JSON, with Content-Type: application/json.');
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim() === 'charset' && value.trim().replaceAll('"', '') !== 'utf-8') {
      throw new ApiError('not_json', 'JSON is UTF-8; leave the charset out or send charset=utf-8.');
    }
  }
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity') {
    throw new ApiError('not_json', 'Send the body without Content-Encoding; compressed bodies are not taken.');
  }
}

function readAll(request: IncomingMessage, bound: BodyBound): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const done = (settle: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      settle();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > bound.bytesMax) {
        // The rest is read and thrown away, so that the client gets to read the answer; the server's requestTimeout bounds it.
        done(() => reject(tooLarge(bound)));
        request.resume();
      } else chunks.push(chunk);
    };
    const onEnd = (): void => done(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)));
    const onGone = (): void => {
      // Without a listener a late 'error' of the stream would end the process.
      request.on('error', () => {});
      done(() => reject(new ClientGone()));
    };
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

function tooLarge({ bytesMax, help }: BodyBound): ApiError {
  return new ApiError('body_too_large', `The body is larger than ${bytesMax} bytes. ${help}`);
}

function emptyBody(): ApiError {
  return new ApiError('bad_argument', 'The body is empty. Send the arguments as a JSON object, or {} where there are none.');
}

/** The header Idempotency-Key. A key identifies one action with its arguments, of one API key on one robot. */
import { sha256Short, sortedJson } from '@perch/runtime';
import { ApiError, idempotencyKeyPattern, limits } from '@perch/schema';

export const idempotencyHeader = 'idempotency-key';
const displayName = 'Idempotency-Key';

const keyShape = new RegExp(idempotencyKeyPattern);

/** @param sent as parsed by Node, which joins repeated headers to an invalid value */
export function isIdempotencyKey(sent: string | string[]): sent is string {
  return typeof sent === 'string' && keyShape.test(sent);
}

export function badIdempotencyKey(): ApiError {
  return invalidKey(`must be 1 to ${limits.idempotency.keyCharsMax} visible ASCII characters, once`);
}

export function keyUsedBefore(): ApiError {
  return invalidKey('was used in the last minutes with another action or other arguments; send a new one with each new call');
}

/** Returns the name of a call among those of its robot. It includes the API key, so that equal idempotency keys of two API keys never collide. */
export function callName(apiKeyHash: string, key: string): string {
  return sha256Short(`${apiKeyHash} ${key}`);
}

/** Returns a hash of an action and its JSON body, independent of the order of members. @throws {ApiError} bad_argument for a body nested too deeply */
export function fingerprint(action: string, body: unknown): string {
  try {
    return sha256Short(`${action} ${sortedJson(body)}`);
  } catch (error) {
    // JSON.stringify recurses, unlike JSON.parse.
    if (error instanceof RangeError) throw new ApiError('bad_argument', 'The body is nested too deeply.', { cause: error });
    throw error;
  }
}

function invalidKey(problem: string): ApiError {
  return new ApiError('bad_argument', `${displayName}: ${problem}`, { field: displayName });
}

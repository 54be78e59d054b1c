/** The header Idempotency-Key. A key identifies one action with its arguments, of one API key on one robot. */
import { createHash } from 'node:crypto';
import { ApiError, idempotencyKeyPattern, limits } from '@perch/schema';

/** In lower case, as Node names headers. */
export const idempotencyHeader = 'idempotency-key';
const displayName = 'Idempotency-Key';

const keyShape = new RegExp(idempotencyKeyPattern);

/** Whether the header is valid. @param sent as parsed by Node, which joins repeated headers to an invalid value */
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
  return sha256(`${apiKeyHash} ${key}`);
}

/** Returns a hash of an action and its JSON body, independent of the order of members. @throws {ApiError} bad_argument for a body nested too deeply */
export function fingerprint(action: string, body: unknown): string {
  try {
    return sha256(`${action} ${JSON.stringify(body, (_, value: unknown) => sorted(value))}`);
  } catch (error) {
    // JSON.stringify recurses, unlike JSON.parse.
    if (error instanceof RangeError) throw new ApiError('bad_argument', 'The body is nested too deeply.', { cause: error });
    throw error;
  }
}

function invalidKey(problem: string): ApiError {
  return new ApiError('bad_argument', `${displayName}: ${problem}`, { field: displayName });
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

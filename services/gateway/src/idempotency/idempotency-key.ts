/** The header Idempotency-Key, and what it stands for: one action with its arguments, of one API key on one robot. */
import { createHash } from 'node:crypto';
import { ApiError, idempotencyKeyPattern, limits } from '@perch/schema';

/** As node names it. */
export const idempotencyHeader = 'idempotency-key';
const published = 'Idempotency-Key';

const fits = new RegExp(idempotencyKeyPattern);

/** @param sent what node makes of the header; two of them become one that is none */
export function isIdempotencyKey(sent: string | string[]): sent is string {
  return typeof sent === 'string' && fits.test(sent);
}

export function badIdempotencyKey(): ApiError {
  return wrongKey(`must be 1 to ${limits.idempotency.keyCharsMax} visible ASCII characters, once`);
}

export function keyUsedBefore(): ApiError {
  return wrongKey('was used in the last minutes with another action or other arguments; send a new one with each new call');
}

/** What a call is called among those of its robot: two API keys never meet, whatever keys their programs think of. */
export function callName(apiKeyHash: string, key: string): string {
  return sha256(`${apiKeyHash} ${key}`);
}

/** Equal for the same action with the same JSON, in whatever order its members came. @throws {ApiError} bad_argument for JSON that no action takes */
export function fingerprint(action: string, body: unknown): string {
  try {
    return sha256(`${action} ${JSON.stringify(body, (_, value: unknown) => inOrder(value))}`);
  } catch (error) {
    // Written it is by recursion, unlike read.
    if (error instanceof RangeError) throw new ApiError('bad_argument', 'The body is nested too deeply.', { cause: error });
    throw error;
  }
}

function wrongKey(problem: string): ApiError {
  return new ApiError('bad_argument', `${published}: ${problem}`, { field: published });
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

import assert from 'node:assert/strict';
import { ApiError, errorCodes, errorStatuses, nextRequests, openApiDocument, type ErrorCode } from '../src/index.js';

describe('the table of errors', () => {
  it('matches the codes and statuses in OpenAPI', () => {
    const { responses, schemas } = openApiDocument('https://robots.test').components as {
      responses: Record<string, { content: Record<string, { examples: Record<string, unknown> }> }>;
      schemas: Record<string, { properties: Record<string, { enum: string[] }> }>;
    };
    assert.deepEqual(schemas['Failure']!.properties['code']!.enum, Object.keys(errorCodes));
    const published = Object.entries(responses).flatMap(([name, { content }]) =>
      Object.keys(content['application/json']!.examples).map((code) => [code, Number(name.slice('Failure'.length))] as const),
    );
    assert.deepEqual(Object.fromEntries(published), Object.fromEntries(Object.entries(errorCodes).map(([code, { status }]) => [code, status])));
  });

  it('advises programs without the names of tools', () => {
    for (const next of Object.values(nextRequests)) assert.doesNotMatch(next, /robot_|retry_after_s|\bcall\b/);
  });

  it('uses the statuses of the interface, and 403, 405, 413, 415 and 500', () => {
    assert.deepEqual(errorStatuses, [400, 401, 403, 404, 405, 413, 415, 429, 500, 501, 503]);
  });

  it('sets the status of an error, and field, cause and Retry-After only if given', () => {
    for (const code of Object.keys(errorCodes) as ErrorCode[]) {
      const error = new ApiError(code, 'a');
      assert.equal(error.status, errorCodes[code].status);
      assert.deepEqual([error.field, error.retryAfterS, error.cause], [undefined, undefined, undefined]);
    }
    const error = new ApiError('rate_limited', 'a', { field: 'b', retryAfterS: 2, cause: 'c' });
    assert.deepEqual([error.field, error.retryAfterS, error.cause, error.message], ['b', 2, 'c', 'a']);
  });
});

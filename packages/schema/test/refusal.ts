import assert from 'node:assert/strict';
import { ApiError } from '../src/index.js';

export function refusal(call: () => unknown): ApiError {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof ApiError, `threw ${String(error)}`);
    return error;
  }
  assert.fail('was accepted');
}

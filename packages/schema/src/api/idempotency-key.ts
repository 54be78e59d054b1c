import type { OpenAPIV3_1 } from 'openapi-types';
import { limits } from '../base/limits.js';

const { keyCharsMax, keptS, outlivesS } = limits.idempotency;

export const idempotencyKeyPattern = `^[!-~]{1,${keyCharsMax}}$`;

export const idempotencyKeyParameter: OpenAPIV3_1.ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    `Identifies this call, so that it can be retried without running twice. Use a new value for each new call, such as a UUID. For ${keptS / 60} minutes after the call ended, a request with the same key ` +
    'returns the same response with the header `Idempotent-Replayed: true`; while the call runs, it waits for that response. A key is scoped to one API key and one robot; ' +
    'using it with another action or other arguments is rejected with 400. A call that was rejected before anything was sent to the robot is not recorded, and its key can be reused. ' +
    'If the outcome is unknown, the response is 503 `outcome_unknown`, and the call never runs under this key again. ' +
    `An ask, menu or clickmap with a key continues for ${outlivesS} s after its client disconnected. A replayed response counts as one action against the rate limit.`,
  schema: { type: 'string', pattern: idempotencyKeyPattern },
  example: '0192f0c1-6b6e-7c4e-9b5a-2f0c5f2f7a11',
};

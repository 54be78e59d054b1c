/** The header Idempotency-Key: its form, and how the description tells what it does. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { limits } from './limits.js';

const { keyCharsMax, keptS, outlivesS } = limits.idempotency;

/** Visible ASCII. */
export const idempotencyKeyPattern = `^[!-~]{1,${keyCharsMax}}$`;

/** Of every call that acts. */
export const idempotencyKeyParameter: OpenAPIV3_1.ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    `Names this call, so that it can be sent again without being done again: a new one for each new call, such as a UUID. For ${keptS / 60} minutes from its end the same key ` +
    'answers what became of it, with the header `Idempotent-Replayed: true`; while it runs, the same key waits for the same answer. It is the same call for one API key and one robot; ' +
    'with another action or other arguments the key is 400. A call that was refused before the robot was told of it leaves nothing behind, and its key can be used again. ' +
    'Where nobody can know whether it was done the answer is 503 `outcome_unknown`, and it is not done under this key any more. ' +
    `An ask, menu or clickmap goes on for ${outlivesS} s after its client hung up. A call that is answered again costs one action of the bucket.`,
  schema: { type: 'string', pattern: idempotencyKeyPattern },
  example: '0192f0c1-6b6e-7c4e-9b5a-2f0c5f2f7a11',
};

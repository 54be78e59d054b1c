import type { OpenAPIV3_1 } from 'openapi-types';
import { limits } from '../limits.js';
import { waitReadArgs } from '../waits.js';
import { queryParameter } from './query-parameter.js';
import { answers, failures } from './responses.js';

const { detachedKept, detachedKeptS } = limits.wait;

const parameters = [{ $ref: '#/components/parameters/wait' }];
const wait = 'wt-7k2m9qx4tb-mb1x2k9q-3v8n1c5d7f9g2h4j';
const answered = { ok: true, wait, robot: 'r-7k2m9qx4tb', action: 'ask', outcome: 'answered', timed_out: false, replaced: false, robot_away: false };

export const waitPaths: Record<
  string,
  { parameters: OpenAPIV3_1.ReferenceObject[]; get?: OpenAPIV3_1.OperationObject; delete: OpenAPIV3_1.OperationObject }
> = {
  '/v1/robots/{robot}/wait': {
    parameters: [{ $ref: '#/components/parameters/robot' }],
    delete: {
      operationId: 'removeKeyedWait',
      summary: 'Take away the question of a call with an Idempotency-Key.',
      description:
        `A question with a key stays for ${limits.idempotency.outlivesS} s after its client disconnected; a client that gives up its call removes it with ` +
        'the same API key and Idempotency-Key, which is required here. 404 if no question of such a call is open.',
      tags: ['waits'],
      parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }],
      responses: { '200': answers('Taken away.', 'WaitRemovedAnswer', true), ...failures(false) },
    },
  },
  '/v1/waits/{wait}': {
    parameters,
    get: {
      operationId: 'readWait',
      summary: 'Go on waiting for the tap, or read how the wait ended.',
      description:
        `Only for waits of this account that outlive their call (detach). Answers as soon as the wait has ended, or after seconds with outcome pending. ` +
        `A wait that failed answers with its failure. The outcome is kept for ${detachedKeptS / 60} min, of the last ${detachedKept} such waits of a robot.`,
      tags: ['waits'],
      parameters: Object.entries(waitReadArgs.properties).map(([name, schema]) => queryParameter(name, schema)),
      responses: {
        '200': answers('How it ended, or pending.', 'WaitAnswer', true, { example1: { value: { ...answered, answer: 'Yes', index: 0 } } }),
        ...failures(false),
      },
    },
    delete: {
      operationId: 'removeWait',
      summary: 'Take a wait away.',
      description: 'Its question leaves the screen if it still shows, and its outcome is deleted.',
      tags: ['waits'],
      responses: { '200': answers('Taken away.', 'WaitRemovedAnswer', true), ...failures(false) },
    },
  },
};

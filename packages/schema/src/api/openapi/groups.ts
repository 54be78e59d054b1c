import type { OpenAPIV3_1 } from 'openapi-types';
import { groupActions, groupAnswersModes } from '../groups.js';
import { limits } from '../limits.js';
import { answers, failures } from './responses.js';

const answered = { ok: true, outcome: 'answered', timed_out: false, replaced: false, robot_away: false, answer: 'Yes', index: 0 };
const other = { ok: true, outcome: 'replaced', timed_out: false, replaced: true, robot_away: false, answer: null, index: null };

export const groupPaths: Record<string, { parameters: OpenAPIV3_1.ParameterObject[]; post: OpenAPIV3_1.OperationObject }> = {
  '/v1/groups/{label}/{action}': {
    parameters: [
      {
        name: 'label',
        in: 'path',
        required: true,
        description: 'A label as key=value, URL-encoded, or all: every robot of the key.',
        schema: { type: 'string' },
        example: 'room=r7',
      },
      { name: 'action', in: 'path', required: true, description: 'The action.', schema: { type: 'string', enum: [...groupActions] } },
    ],
    post: {
      operationId: 'actOnGroup',
      summary: 'Perform one action on every robot with a label, at the same time.',
      description:
        `Takes the arguments of the action. A group has up to ${limits.groups.robotsMax} robots, each of which costs one action of the rate limit; if the limit cannot cover all of them, none acts. ` +
        `A group of more than ${limits.bucket.depth} robots needs the whole limit, and later calls wait until it is paid for. ` +
        'The failure of one robot, such as robot_offline, is in its own answer, and the response is 200. 404 not_found if no robot of the key has the label. ' +
        'An Idempotency-Key applies to the call of each robot: repeated, robots that have done it answer what they answered, and others do it. ' +
        'ask, menu and clickmap end with the first answer, or with all, as the query parameter answers says.',
      tags: ['groups'],
      parameters: [
        { $ref: '#/components/parameters/IdempotencyKey' },
        {
          name: 'answers',
          in: 'query',
          required: false,
          description:
            'For ask, menu and clickmap: whether the call ends with the first answer, which removes the questions of the other robots, or when each robot has ended its own. Default all.',
          schema: { type: 'string', enum: [...groupAnswersModes] },
        },
      ],
      requestBody: {
        required: true,
        description: 'A JSON object: the arguments of the action; {} for none.',
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/GroupArguments' },
            examples: { example1: { value: { question: 'Who has the key?', answers: ['I', 'Not me'] } } },
          },
        },
      },
      responses: {
        '200': answers('One answer for each robot.', 'GroupAnswer', true, {
          example1: {
            value: {
              ok: true,
              robots: [
                { robot: 'r-7k2m9qx4tb', ...answered },
                { robot: 'r-8k2m9qx4tb', ...other },
              ],
              failed: 0,
              first: 'r-7k2m9qx4tb',
            },
          },
        }),
        ...failures(true),
      },
    },
  },
};

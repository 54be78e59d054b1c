import type { OpenAPIV3_1 } from 'openapi-types';
import { activityExportArgs, activityLimits, activityQueryArgs } from '../activity.js';
import { queryParameter } from './query-parameter.js';
import { answers, failures, rateHeaders } from './responses.js';

type Operation = OpenAPIV3_1.OperationObject;

const { days, callsMb, changesMb } = activityLimits;

const reach =
  'A key for some robots reads only calls that name these robots; only a key for all robots, and the web page, also read sign-ins and changes of the account.';

export const activityPaths: Record<string, { get: Operation }> = {
  '/v1/activity': {
    get: {
      ...operation('readActivity', 'What was asked of the robots, and how it ended.', 'ActivityAnswer'),
      description:
        `Calls that act on a robot, with the answer that was tapped, and sign-ins and changes of the account, in the order in which they were stored, up to a second after they ended. ` +
        `Reads (state, events) are counted in the usage only. Kept for ${days} days, at most ${callsMb} MB of calls and ${changesMb} MB of changes. ` +
        `A response looks at a bounded number of entries: with filters it may hold fewer entries than limit although there are more; last_seq and next_before continue behind what was looked at. ${reach}`,
      parameters: parametersOf(activityQueryArgs),
    },
  },
  '/v1/activity/export': {
    get: {
      ...operation('exportActivity', 'All of the activity as a file.', 'ActivityAnswer'),
      description: `All entries that match, oldest first, as CSV (RFC 4180, UTF-8) or as a JSON list. Takes ten actions of the rate limit. ${reach}`,
      parameters: parametersOf(activityExportArgs),
      responses: {
        '200': {
          description: 'The file. A response that breaks off is incomplete.',
          headers: rateHeaders,
          content: {
            'text/csv': { schema: { type: 'string' } },
            'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/ActivityEntry' } } },
          },
        },
        ...failures(false),
      },
    },
  },
  '/v1/activity/usage': {
    get: {
      ...operation('readUsage', 'Calls, refusals, answers and times to tap of each key and day.', 'UsageAnswer'),
      description: 'Of the last 30 days. A key for some robots reads its own usage only.',
    },
  },
};

function operation(operationId: string, summary: string, answer: string): Operation {
  return { operationId, summary, tags: ['activity'], responses: { '200': answers(summary, answer, true), ...failures(false) } };
}

function parametersOf({ properties }: { properties: object }): OpenAPIV3_1.ParameterObject[] {
  return Object.entries(properties).map(([name, schema]) => queryParameter(name, schema as object));
}

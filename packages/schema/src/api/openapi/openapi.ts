import type { OpenAPIV3_1 } from 'openapi-types';
import { actionGroups } from '../../actions/definition/action.js';
import { actions, compounds } from '../../actions/index.js';
import { activityPaths } from './activity.js';
import { components } from './components.js';
import { groupPaths } from './groups.js';
import { eventStreamRules, withEventStream } from './event-stream.js';
import { answers, failures } from './responses.js';
import { screenImagePaths } from './screen-image.js';
import { picturePaths } from './pictures.js';
import { waitPaths } from './waits.js';
import { webhookPaths, webhooks } from './webhooks.js';
import { queryParameter } from './query-parameter.js';
import { robotsQueryArgs } from '../robots/robots-query.js';

type Document = OpenAPIV3_1.Document;
type Operation = OpenAPIV3_1.OperationObject;

export const interfaceVersion = 'v0.9.0';

/** @param baseUrl such as `https://robots.example` @returns plain JSON, a new object at each call */
export function openApiDocument(baseUrl: string): Document {
  const document: Document = {
    openapi: '3.1.0',
    info: {
      title: 'Perch',
      version: interfaceVersion,
      summary: 'Drive a small desktop robot, and read what people do at it.',
      description:
        'A program with an API key controls the robots of that key. Every action is one POST request with a JSON object of arguments. Every successful response has `ok: true`; every failure has `ok: false` and a sentence that says why. ' +
        'The same actions are MCP tools at `/mcp`, named `robot_<action>`.',
      contact: { name: 'Perch', url: baseUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [
      ...Object.entries(actionGroups).map(([name, description]) => ({ name, description })),
      { name: 'groups', description: 'One action on every robot that has a label.' },
      { name: 'pictures', description: 'Pictures that are uploaded once and used by id.' },
      { name: 'webhooks', description: 'Events sent to a URL as they happen.' },
      { name: 'activity', description: 'What was asked of the robots, by whom, and how it ended; usage of each key.' },
      { name: 'discovery', description: 'This interface as JSON.' },
    ],
    // Under exactOptionalPropertyTypes openapi-types' 3.1 operations do not fit its own path items, which it derives from 3.0's.
    paths: paths() as OpenAPIV3_1.PathsObject,
    webhooks,
    components,
  };
  return JSON.parse(JSON.stringify(document)) as Document;
}

interface PathItem {
  parameters?: (OpenAPIV3_1.ReferenceObject | OpenAPIV3_1.ParameterObject)[];
  get?: Operation;
  post?: Operation;
  delete?: Operation;
}

function paths(): Record<string, PathItem> {
  return {
    '/v1/robots': { get: listRobots() },
    '/v1/robots/{robot}': { parameters: [robotParameter], get: readState() },
    '/v1/robots/{robot}/events': {
      parameters: [robotParameter],
      get: readEvents(),
      post: actionOperation(actions.find(({ name }) => name === 'events')!),
    },
    ...Object.fromEntries(
      [...actions, ...compounds]
        .filter(({ name }) => name !== 'events')
        .map((action) => [`/v1/robots/{robot}/${action.name}`, { parameters: [robotParameter], post: actionOperation(action) }]),
    ),
    ...groupPaths,
    ...screenImagePaths,
    ...picturePaths,
    ...waitPaths,
    ...webhookPaths,
    ...activityPaths,
    '/v1/actions': {
      get: discovery(
        'listActions',
        'The actions and their arguments as JSON.',
        'Each action and compound with a summary and JSON Schemas of its arguments and response.',
        'ActionsAnswer',
      ),
    },
    '/v1/icons': {
      get: discovery(
        'listIcons',
        'The icons for show, ask and menu.',
        'Every icon with words for what it shows or means. The icons are those of Lucide.',
        'IconsAnswer',
      ),
    },
    '/v1/openapi.json': {
      get: discovery('readOpenApi', 'This description.', 'OpenAPI 3.1, with the base URL of the request as its server.', 'OpenApiAnswer'),
    },
  };
}

const robotParameter = { $ref: '#/components/parameters/robot' };

function actionOperation(action: (typeof actions | typeof compounds)[number]): Operation {
  const { name } = action;
  const schemaName = capital(name);
  const examples = action.examples.map((example, index) => [`example${index + 1}`, example] as const);
  return {
    operationId: name,
    summary: action.summary,
    description: action.description,
    tags: [action.group],
    ...(action.effect.readOnly ? {} : { parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }] }),
    requestBody: {
      required: true,
      description: 'A JSON object of arguments; {} for none.',
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${schemaName}Arguments` },
          examples: Object.fromEntries(examples.map(([key, { args }]) => [key, { value: args }])),
        },
      },
    },
    responses: {
      '200': answers('Done.', `${schemaName}Answer`, true, Object.fromEntries(examples.map(([key, { answer }]) => [key, { value: answer }]))),
      ...failures(true),
    },
  };
}

function listRobots(): Operation {
  return {
    operationId: 'listRobots',
    summary: "List the key's robots.",
    description:
      'Each robot with its name, whether it is online, and its own commands that `command` accepts, ascending by id. Offline robots are included. ' +
      'With `limit`, the response is one page: while `next` is not null, repeat the request with it as `after`. Robots added or removed between two pages ' +
      'do not shift the others. A long list is sent while it is read, so a response that breaks off is incomplete.',
    tags: ['robots'],
    parameters: Object.entries(robotsQueryArgs.properties).map(([name, schema]) => queryParameter(name, schema)),
    responses: { '200': answers('The robots.', 'RobotsAnswer', true), ...failures(false) },
  };
}

function readState(): Operation {
  return {
    operationId: 'readState',
    summary: "The robot's state: readings, what it shows, its commands and the last events.",
    description: 'Same as the action `state`. Also works while the robot is offline, with its last readings.',
    tags: ['robots'],
    responses: { '200': answers('The state.', 'StateAnswer', true), ...failures(false) },
  };
}

function readEvents(): Operation {
  const { args } = actions.find((each) => each.name === 'events')!;
  const { after, seconds, names } = args.properties;
  return {
    operationId: 'readEvents',
    summary: 'Read what people did at the robot: immediately, as soon as the next event happens, or as a stream.',
    description: eventStreamRules,
    tags: ['robots'],
    parameters: [
      queryParameter('after', after),
      queryParameter('seconds', seconds),
      queryParameter('names', names, { style: 'form', explode: false }),
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        description: 'For a stream: the last id received. Takes precedence over after.',
        schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      },
    ],
    responses: { '200': withEventStream(answers('The events.', 'EventsAnswer', true)), ...failures(false) },
  };
}

function discovery(operationId: string, summary: string, description: string, schemaName: string): Operation {
  return { operationId, summary, description, tags: ['discovery'], responses: { '200': answers(summary, schemaName, false), ...failures(false) } };
}

function capital(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}

import type { OpenAPIV3_1 } from 'openapi-types';
import { withoutForm } from '../base/argument-form.js';
import { actionGroups } from '../definition/action.js';
import { actions, compounds, actionByName } from '../actions/index.js';
import { components } from './components.js';
import { answers, failures, rateHeaders, queryParameter } from './responses.js';
import { webhookPaths, webhooks } from './webhooks.js';
import { robotsQueryArgs } from '../robots/robots-query.js';
import { activityExportArgs, activityLimits, activityQueryArgs } from '../api/activity.js';
import { limits, inThousands } from '../base/limits.js';
import { groupActions, groupAnswersModes } from '../api/groups.js';
import { previewedActions, type PreviewedAction } from '../api/screen-image.js';
import { waitReadArgs } from '../api/waits.js';

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
  return withoutForm(JSON.parse(JSON.stringify(document)) as Document);
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

const { days, callsMb, changesMb } = activityLimits;

const reach =
  'A key for some robots reads only calls that name these robots; only a key for all robots, and the web page, also read sign-ins and changes of the account.';

const activityPaths: Record<string, { get: Operation }> = {
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

/** The event stream in the OpenAPI description: as text with one example, because OpenAPI has no streams. */
const eventStreamRules =
  'With `Accept: text/event-stream`, the events are sent as server-sent events until the client closes the stream: first those kept after `after`, then each one as it happens. If `after` is above the highest number, only events with higher numbers are sent. ' +
  '`names` filters as usual; `seconds` is ignored. Opening a stream counts as one action against the rate limit; ' +
  `a key may have ${limits.events.streamsMax} streams open at a time. A client that does not read is disconnected, and can resume with its last id.`;

const records =
  'Records, each followed by a blank line.\n' +
  '- Without `event`: an event, in `data` in the same form as in the response of `events`, with its `seq` as `id`.\n' +
  '- `event: gap`: the events with numbers above `after` and below `next` of its `data` are missing. They were dropped because only the last ones are kept, or lost by the storage, after which numbering jumps.\n' +
  '- `event: end`: the last record before the service closes the stream; `data` is a failure whose `code` says why. With `draining` or `service_unavailable`, connect again.\n' +
  '- `id` alone: the position in the stream, after events that `names` filtered out.\n' +
  '- A comment every 15 s.';

const example = [
  'retry: 1000\n',
  'event: gap\nid: 6\ndata: {"after":2,"next":7}\n',
  'id: 7\ndata: {"seq":7,"name":"tap","data":{"x":160,"y":120},"at":"2026-01-01T11:59:58.250Z"}\n',
  ':\n',
  'event: end\nid: 7\ndata: {"ok":false,"error":"This instance of the service is stopping. Send the call again.","code":"draining","request_id":"q-4n7r2k9d1m"}\n',
].join('\n');

function withEventStream(response: OpenAPIV3_1.ResponseObject): OpenAPIV3_1.ResponseObject {
  const stream = { schema: { type: 'string' as const, description: records }, examples: { stream: { value: `${example}\n` } } };
  return { ...response, content: { ...response.content, 'text/event-stream': stream } };
}

const answered = { ok: true, outcome: 'answered', timed_out: false, replaced: false, robot_away: false, answer: 'Yes', index: 0 };
const other = { ok: true, outcome: 'replaced', timed_out: false, replaced: true, robot_away: false, answer: null, index: null };

const groupPaths: Record<string, { parameters: OpenAPIV3_1.ParameterObject[]; post: OpenAPIV3_1.OperationObject }> = {
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

const bytes = { description: 'The bytes of the picture.' };

const picturePaths = {
  '/v1/pictures': {
    post: {
      operationId: 'uploadPicture',
      summary: 'Upload a picture, to use it by its id.',
      description:
        `Keeps a JPEG or PNG of up to ${inThousands(limits.picture.bytesMax)} bytes for a day. Its id is accepted wherever an action takes an image, with every key of the account. ` +
        'The same picture has the same id; uploading it again keeps it for a day from then, and a request whose response was lost may be repeated. ' +
        "Beyond half of the account's quota of pictures and sounds, an upload replaces the account's oldest ones. Whether the file is whole is checked when it is drawn.",
      tags: ['pictures'],
      requestBody: {
        required: true,
        content: {
          'image/png': { schema: bytes },
          'image/jpeg': { schema: bytes },
          'application/json': {
            schema: { $ref: '#/components/schemas/PictureUploadArguments' },
            examples: { example1: { value: { image: tinyPng() } } },
          },
        },
      },
      responses: {
        '200': answers('Kept.', 'PictureUploadAnswer', true, {
          example1: {
            value: { ok: true, picture: 'p-7k2m9qx4tb7k2m9qx4tb', format: 'png', w: 1, h: 1, bytes: 70, expires_at: '2026-01-02T12:00:00.000Z' },
          },
        }),
        ...failures(true),
      },
    },
  },
};

function tinyPng(): string {
  return 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
}

const twoForms = 'The response is a PNG; with `Accept: application/json` it is an object with the PNG in base64, and what was cut or changed in it.';

const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==';

const screenImagePaths: Record<string, { parameters: OpenAPIV3_1.ReferenceObject[]; get?: Operation; post?: Operation }> = {
  '/v1/robots/{robot}/screen': { parameters: [{ $ref: '#/components/parameters/robot' }], get: readScreen() },
  ...Object.fromEntries(
    previewedActions.map((name) => [
      `/v1/robots/{robot}/preview/${name}`,
      { parameters: [{ $ref: '#/components/parameters/robot' }], post: preview(name) },
    ]),
  ),
};

function readScreen(): Operation {
  return {
    operationId: 'readScreen',
    summary: 'What the screen shows now, as a picture.',
    description:
      'The question, card or picture that the robot is showing, for as long as it shows; otherwise its face with emotion and speech bubble, or its readings, as the service draws them: a robot may draw its own screen differently. ' +
      `404 not_found if the robot shows a picture that the service no longer has. ${twoForms}`,
    tags: ['screen'],
    responses: { '200': picture('The screen.'), ...failures(false) },
  };
}

function preview(name: PreviewedAction): Operation {
  const schemaName = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  const { examples } = actionByName.get(name)!;
  return {
    operationId: `preview${schemaName}`,
    summary: `Draw what ${name} would show, without showing it.`,
    description:
      `Takes the arguments of \`${name}\` and refuses what it refuses; also works while the robot is offline. ` +
      `${name === 'say' ? 'The picture is the face with the speech bubble. ' : ''}${twoForms}`,
    tags: ['screen'],
    requestBody: {
      required: true,
      description: 'A JSON object of arguments.',
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${schemaName}Arguments` },
          examples: Object.fromEntries(examples.map(({ args }, index) => [`example${index + 1}`, { value: args }])),
        },
      },
    },
    responses: { '200': picture('Drawn.'), ...failures(true) },
  };
}

function picture(description: string): OpenAPIV3_1.ResponseObject {
  const response = answers(description, 'ScreenImageAnswer', true, { example1: { value: { ok: true, image } } });
  return { ...response, content: { 'image/png': { schema: {} }, ...response.content } };
}

const { detachedKept, detachedKeptS } = limits.wait;

const parameters = [{ $ref: '#/components/parameters/wait' }];
const wait = 'wt-7k2m9qx4tb-mb1x2k9q-3v8n1c5d7f9g2h4j';
const waitsAnswered = {
  ok: true,
  wait,
  robot: 'r-7k2m9qx4tb',
  action: 'ask',
  outcome: 'answered',
  timed_out: false,
  replaced: false,
  robot_away: false,
};

const waitPaths: Record<
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
        '200': answers('How it ended, or pending.', 'WaitAnswer', true, { example1: { value: { ...waitsAnswered, answer: 'Yes', index: 0 } } }),
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

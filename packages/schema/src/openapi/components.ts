import type { OpenAPIV3_1 } from 'openapi-types';
import { Type, type TSchema } from 'typebox';
import { actions, compounds } from '../actions/index.js';
import { answerObject } from '../definition/action.js';
import { EventSchema, eventSchemas, type EventName } from '../robots/event.js';
import { FailureSchema, ProblemSchema } from '../api/failure.js';
import { GroupAnswerSchema } from '../api/groups.js';
import { iconsAnswer } from '../api/icons-document.js';
import { idempotencyKeyParameter } from '../api/idempotency-key.js';
import { limits } from '../base/limits.js';
import { PictureUploadAnswerSchema, PictureUploadArgumentsSchema } from '../api/picture-upload.js';
import { oneOf, openObject } from '../base/open-object.js';
import { activityAnswers, ActivityEntrySchema, KeyUsageSchema } from '../api/activity.js';
import { withoutDefault, failureResponses } from './responses.js';
import { webhookMessages } from './webhooks.js';
import { RegionSchema } from '../values/region.js';
import { ListedCommandSchema, ReadingsSchema, RobotSchema, ScreenStateSchema } from '../robots/robot.js';
import { robotsAnswer } from '../robots/robots-query.js';
import { screenImageAnswer } from '../api/screen-image.js';
import { waitAnswer, waitRemovedAnswer } from '../api/waits.js';
import {
  DeliverySchema,
  webhookAnswers,
  WebhookArgumentsSchema,
  WebhookChangesSchema,
  WebhookSchema,
  WebhookSecretArgumentsSchema,
} from '../api/webhook.js';

type Schemas = Record<string, OpenAPIV3_1.SchemaObject>;

const shared: [name: string, schema: TSchema][] = [
  ['Event', EventSchema],
  ['Region', RegionSchema],
  ['RobotCommand', ListedCommandSchema],
  ['Readings', ReadingsSchema],
  ['Showing', ScreenStateSchema],
  ['Robot', RobotSchema],
  ['Webhook', WebhookSchema],
  ['Delivery', DeliverySchema],
  ['ActivityEntry', ActivityEntrySchema],
  ['KeyUsage', KeyUsageSchema],
];

const answersOfReads: [name: string, schema: TSchema][] = [
  ['RobotsAnswer', robotsAnswer],
  [
    'ActionsAnswer',
    answerObject({
      actions: Type.Array(
        Type.Object({
          name: Type.String(),
          kind: oneOf(['action', 'compound'], { description: 'compound: runs several actions in one call.' }),
          summary: Type.String(),
          description: Type.String(),
          method: Type.Literal('POST'),
          path: Type.String(),
          tool: Type.String({ description: 'Name of the MCP tool.' }),
          arguments: openObject('JSON Schema of the arguments.'),
          answer: openObject('JSON Schema of the response.'),
        }),
      ),
    }),
  ],
  ['IconsAnswer', iconsAnswer],
  ['ScreenImageAnswer', screenImageAnswer],
  ['WaitAnswer', waitAnswer],
  ['WaitRemovedAnswer', waitRemovedAnswer],
  ['OpenApiAnswer', openObject('An OpenAPI 3.1 description.')],
];

const { depth, perS } = limits.bucket;

/** They allow additional properties, because webhook messages add the robot to an event. */
const eventComponents: [name: string, schema: TSchema][] = eventSchemas.map(([name, schema]) => [
  componentOf(name),
  { ...schema, additionalProperties: true },
]);

const eventUnion: OpenAPIV3_1.SchemaObject = {
  description: (EventSchema as { description?: string }).description ?? '',
  oneOf: eventComponents.map(([name]) => ({ $ref: refOf(name) })),
  discriminator: {
    propertyName: 'name',
    mapping: Object.fromEntries(eventSchemas.map(([name]) => [name, refOf(componentOf(name))])),
  },
};

export const components: OpenAPIV3_1.ComponentsObject = {
  securitySchemes: {
    apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, created by the user for all or some of their robots.' },
  },
  parameters: {
    robot: { name: 'robot', in: 'path', required: true, description: "The robot's id.", schema: { type: 'string' }, example: 'r-7k2m9qx4tb' },
    IdempotencyKey: idempotencyKeyParameter,
    wait: {
      name: 'wait',
      in: 'path',
      required: true,
      description: "The wait's id.",
      schema: { type: 'string' },
      example: 'wt-7k2m9qx4tb-mb1x2k9q-3v8n1c5d7f9g2h4j',
    },
    webhook: { name: 'webhook', in: 'path', required: true, description: "The webhook's id.", schema: { type: 'string' }, example: 'w-7k2m9qx4tb' },
    delivery: {
      name: 'delivery',
      in: 'path',
      required: true,
      description: "The delivery's id.",
      schema: { type: 'string' },
      example: 'msg_r-7k2m9qx4tb_7',
    },
  },
  headers: {
    'RateLimit-Policy': {
      description: `Rate limit of the key: ${perS} actions a second, bursts of ${depth}.`,
      schema: { type: 'string' },
      example: `"actions";q=${depth};w=${depth / perS}`,
    },
    RateLimit: {
      description: 'Actions left (r), and seconds until the limit is fully available again (t).',
      schema: { type: 'string' },
      example: '"actions";r=29;t=1',
    },
    'Retry-After': { description: 'Whole seconds to wait before retrying.', schema: { type: 'integer', minimum: 1 }, example: 1 },
  },
  responses: failureResponses,
  schemas: schemas(),
};

function schemas(): Schemas {
  const named: [string, TSchema][] = [
    ...[...actions, ...compounds].flatMap(({ name, args, answer, needsOneOf }): [string, TSchema][] => [
      [`${name[0]!.toUpperCase()}${name.slice(1)}Arguments`, withRequired(args, needsOneOf)],
      [`${name[0]!.toUpperCase()}${name.slice(1)}Answer`, answer],
    ]),
    ...answersOfReads,
    ['GroupArguments', openObject('The arguments of the action, as in the request to one robot.')],
    ['GroupAnswer', GroupAnswerSchema],
    ['PictureUploadArguments', PictureUploadArgumentsSchema],
    ['PictureUploadAnswer', PictureUploadAnswerSchema],
    ['WebhookArguments', WebhookArgumentsSchema],
    ['WebhookChanges', WebhookChangesSchema],
    ['WebhookSecretArguments', WebhookSecretArgumentsSchema],
    ...Object.entries(webhookAnswers),
    ...Object.entries(activityAnswers),
    ['Failure', FailureSchema],
    ['Problem', ProblemSchema],
    ...eventComponents,
    ...shared,
  ];
  const components = Object.fromEntries(named.map(([name, schema]) => [name, withReferences(schema, name) as OpenAPIV3_1.SchemaObject]));
  return { ...components, Event: eventUnion, ...webhookMessages };
}

function withRequired(args: TSchema, needsOneOf: readonly string[]): TSchema {
  if (needsOneOf.length === 0) return args;
  const all = Object.keys((args as unknown as { properties: object }).properties);
  if (all.every((name) => needsOneOf.includes(name))) return { ...args, minProperties: 1 };
  return { ...args, anyOf: needsOneOf.map((name) => ({ required: [name] })) };
}

function withReferences(value: unknown, self: string): unknown {
  if (Array.isArray(value)) return value.map((inner) => withReferences(inner, self));
  if (typeof value !== 'object' || value === null) return value;
  const known = shared.find(([name, schema]) => schema === value && name !== self);
  if (known !== undefined) return { $ref: `#/components/schemas/${known[0]}` };
  return Object.fromEntries(Object.entries(withoutDefault(value)).map(([key, inner]) => [key, withReferences(inner, self)]));
}

function componentOf(name: EventName): string {
  return `${name.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())}Event`;
}

function refOf(component: string): string {
  return `#/components/schemas/${component}`;
}

import type { OpenAPIV3_1 } from 'openapi-types';
import { eventNames } from '../robots/event.js';
import { answers, failures } from './responses.js';

type Operation = OpenAPIV3_1.OperationObject;

const at = '2026-01-01T12:00:00.000Z';
const webhook = {
  id: 'w-7k2m9qx4tb',
  url: 'https://example.com/robots',
  robots: null,
  names: ['tap', 'pat'],
  created_at: at,
  created_by: { id: 'k-7h2m9q4x1c', name: 'laptop' },
  disabled: null,
  paused: false,
  former_secret_until: null,
};

const parameters = {
  webhook: { $ref: '#/components/parameters/webhook' },
  delivery: { $ref: '#/components/parameters/delivery' },
};

const timestamp = { type: 'string' as const, format: 'date-time' };

export const webhookMessages: Record<string, OpenAPIV3_1.SchemaObject> = {
  WebhookEvent: {
    type: 'object',
    description: 'An event of a robot.',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', enum: eventNames, description: "The event's name, the same as in data." },
      timestamp: { ...timestamp, description: 'Time of the event, the same as at in data.' },
      data: {
        description: 'The event, and the robot it belongs to.',
        allOf: [
          { $ref: '#/components/schemas/Event' },
          {
            type: 'object',
            required: ['robot', 'robot_name'],
            properties: {
              robot: { type: 'string', description: "The robot's id." },
              robot_name: { type: 'string', description: "The robot's name at the time; the id if it has no name." },
            },
          },
        ],
      },
    },
  },
  WebhookTest: {
    type: 'object',
    description: 'A test requested by the owner of the webhook.',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { const: 'test' },
      timestamp,
      data: { type: 'object', required: ['webhook'], properties: { webhook: { type: 'string', description: "The webhook's id." } } },
    },
  },
};

export const webhooks: Record<string, OpenAPIV3_1.PathItemObject> = {
  event: received('receiveEvent', 'An event of a robot, as it happens.', 'WebhookEvent', {
    type: 'tap',
    timestamp: at,
    data: { robot: 'r-7k2m9qx4tb', robot_name: 'Desk', seq: 7, name: 'tap', data: { x: 160, y: 120 }, at },
  }),
  test: received('receiveTest', 'A test, sent once when the owner of the webhook requests it.', 'WebhookTest', {
    type: 'test',
    timestamp: at,
    data: { webhook: webhook.id },
  }),
};

export const webhookPaths = {
  '/v1/webhooks': {
    get: operation(
      'listWebhooks',
      "List the account's webhooks.",
      'Only webhooks whose robots the key can all access. Secrets are not included.',
      'WebhooksAnswer',
    ),
    post: {
      ...operation('makeWebhook', 'Create a webhook: events are sent to its URL as they happen.', '', 'WebhookMadeAnswer'),
      description:
        'Each event is a POST of `{type, timestamp, data}`, signed with the secret according to Standard Webhooks (headers webhook-id, webhook-timestamp, webhook-signature). ' +
        'It is delivered at least once; webhook-id is the same for all attempts. Any 2xx status confirms delivery; otherwise it is retried for about a day. 410 disables the webhook.',
      requestBody: body('WebhookArguments', { url: webhook.url, names: webhook.names }),
      responses: {
        '200': answers('Created.', 'WebhookMadeAnswer', true, {
          example1: { value: { ok: true, webhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0123456789A=' } },
        }),
        ...failures(true),
      },
    },
  },
  '/v1/webhooks/{webhook}': {
    parameters: [parameters.webhook],
    get: operation('readWebhook', 'Read a webhook.', 'Its URL and filters, and why it is disabled if it is.', 'WebhookAnswer'),
    patch: {
      ...operation(
        'changeWebhook',
        'Change, pause or resume a webhook.',
        'Only what is sent changes. Messages that are pending go to the new URL, and robots that are added send events from now on. Resuming also enables a disabled webhook.',
        'WebhookAnswer',
      ),
      requestBody: body('WebhookChanges', { names: null, paused: true }),
      responses: { '200': answers('Changed.', 'WebhookAnswer', true), ...failures(true) },
    },
    delete: operation(
      'removeWebhook',
      'Remove a webhook.',
      'No more messages are sent to it, and pending retries are dropped.',
      'WebhookRemovedAnswer',
    ),
  },
  '/v1/webhooks/{webhook}/secret': {
    parameters: [parameters.webhook],
    post: {
      ...operation(
        'rollWebhookSecret',
        'Replace the secret of a webhook.',
        'During the overlap webhook-signature has two signatures, with the new secret and with the former one: a receiver accepts a message if one of them is right. A second replacement during the overlap ends the oldest secret.',
        'WebhookMadeAnswer',
      ),
      requestBody: body('WebhookSecretArguments', { overlap_s: 3600 }),
      responses: {
        '200': answers('Replaced.', 'WebhookMadeAnswer', true, {
          example1: {
            value: {
              ok: true,
              webhook: { ...webhook, former_secret_until: '2026-01-01T13:00:00.000Z' },
              secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0123456789A=',
            },
          },
        }),
        ...failures(true),
      },
    },
  },
  '/v1/webhooks/{webhook}/test': {
    parameters: [parameters.webhook],
    post: operation(
      'testWebhook',
      'Send a test to the webhook.',
      'The test is sent once; read its delivery for the result. A successful test enables a disabled webhook.',
      'DeliveryAnswer',
    ),
  },
  '/v1/webhooks/{webhook}/deliveries': {
    parameters: [parameters.webhook],
    get: operation('listDeliveries', 'List messages to the webhook.', 'Messages sent and pending retries, newest first.', 'DeliveriesAnswer'),
  },
  '/v1/webhooks/{webhook}/deliveries/{delivery}': {
    parameters: [parameters.webhook, parameters.delivery],
    get: operation(
      'readDelivery',
      'Read a message to the webhook.',
      'Number of attempts, result of the last attempt, and content.',
      'DeliveryAnswer',
    ),
  },
  '/v1/webhooks/{webhook}/deliveries/{delivery}/replay': {
    parameters: [parameters.webhook, parameters.delivery],
    post: operation(
      'replayDelivery',
      'Send a message again.',
      'Accepts a finished message, or one that is more than a minute late. The message keeps its id.',
      'DeliveryAnswer',
    ),
  },
};

function operation(operationId: string, summary: string, description: string, answer: string): Operation {
  return { operationId, summary, description, tags: ['webhooks'], responses: { '200': answers('Done.', answer, true), ...failures(false) } };
}

function body(component: string, example: object) {
  return {
    required: true,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${component}` }, examples: { example1: { value: example } } } },
  };
}

function received(operationId: string, summary: string, component: string, example: object): OpenAPIV3_1.PathItemObject {
  const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: { type: 'string' as const } });
  return {
    post: {
      operationId,
      summary,
      description:
        'Sent to the URL of the webhook and signed with its secret according to Standard Webhooks. Delivered at least once: the same webhook-id is the same message. ' +
        'Texts in data, such as those of NFC tags, are untrusted: anyone at the robot can supply them.',
      tags: ['webhooks'],
      // Authenticated by the signature instead of a key.
      security: [],
      parameters: [
        header('webhook-id', 'Identifies the message; the same for all attempts.'),
        header('webhook-timestamp', 'Time of this attempt, in seconds since 1970.'),
        header('webhook-signature', 'One or more signatures, v1,<base64> each, separated by spaces.'),
      ],
      requestBody: body(component, example),
      responses: {
        '2XX': { description: 'Confirms delivery; the body is ignored.' },
        '410': { description: 'Disables the webhook: nothing more is sent to it.' },
        default: { description: 'The message is retried for about a day.' },
      },
    },
  };
}

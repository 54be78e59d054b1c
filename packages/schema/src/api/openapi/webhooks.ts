/** Webhooks in the OpenAPI description: the paths that manage them, and what their receivers get. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { eventNames } from '../event.js';
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
};

const parameters = {
  webhook: { $ref: '#/components/parameters/webhook' },
  delivery: { $ref: '#/components/parameters/delivery' },
};

const timestamp = { type: 'string' as const, format: 'date-time' };

/** The bodies that receivers get, as components. */
export const webhookMessages: Record<string, OpenAPIV3_1.SchemaObject> = {
  WebhookEvent: {
    type: 'object',
    description: 'An event of a robot.',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', enum: eventNames, description: "The event's name, as in data." },
      timestamp: { ...timestamp, description: 'When it happened, as at in data.' },
      data: {
        description: 'The event, and whose it is.',
        allOf: [
          { $ref: '#/components/schemas/Event' },
          {
            type: 'object',
            required: ['robot', 'robot_name'],
            properties: {
              robot: { type: 'string', description: "The robot's id." },
              robot_name: { type: 'string', description: 'What its owner called it then; the id where it was given no name.' },
            },
          },
        ],
      },
    },
  },
  WebhookTest: {
    type: 'object',
    description: 'A test that the owner of the webhook asked for.',
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { const: 'test' },
      timestamp,
      data: { type: 'object', required: ['webhook'], properties: { webhook: { type: 'string', description: "The webhook's id." } } },
    },
  },
};

/** The part `webhooks`: the requests that the service sends. */
export const webhooks: Record<string, OpenAPIV3_1.PathItemObject> = {
  event: received('receiveEvent', 'An event of a robot, as it happens.', 'WebhookEvent', {
    type: 'tap',
    timestamp: at,
    data: { robot: 'r-7k2m9qx4tb', robot_name: 'Desk', seq: 7, name: 'tap', data: { x: 160, y: 120 }, at },
  }),
  test: received('receiveTest', 'A test, sent once when the owner of the webhook asks for it.', 'WebhookTest', {
    type: 'test',
    timestamp: at,
    data: { webhook: webhook.id },
  }),
};

/** By path, as `openapi.ts` has the others. */
export const webhookPaths = {
  '/v1/webhooks': {
    get: operation('listWebhooks', "The account's webhooks.", 'Those of which the key reaches every robot. Secrets are not in it.', 'WebhooksAnswer'),
    post: {
      ...operation('makeWebhook', 'Make a webhook: events are sent to its address as they happen.', '', 'WebhookMadeAnswer'),
      description:
        'Each event is a POST of `{type, timestamp, data}`, signed with the secret as Standard Webhooks has it (headers webhook-id, webhook-timestamp, webhook-signature). ' +
        'It arrives at least once; webhook-id is the same however often one event is sent. Any status 2xx is an answer; else it is sent again over a day. 410 ends the webhook.',
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/WebhookArguments' },
            examples: { example1: { value: { url: webhook.url, names: webhook.names } } },
          },
        },
      },
      responses: {
        '200': answers('Made.', 'WebhookMadeAnswer', true, {
          example1: { value: { ok: true, webhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0123456789A=' } },
        }),
        ...failures(true),
      },
    },
  },
  '/v1/webhooks/{webhook}': {
    parameters: [parameters.webhook],
    get: operation('readWebhook', 'A webhook.', 'Where it sends what, and why it is disabled if it is.', 'WebhookAnswer'),
    delete: operation(
      'removeWebhook',
      'Remove a webhook.',
      'Nothing more is sent to it, not even messages that wait to be sent again.',
      'WebhookRemovedAnswer',
    ),
  },
  '/v1/webhooks/{webhook}/test': {
    parameters: [parameters.webhook],
    post: operation(
      'testWebhook',
      'Send a test to the webhook.',
      'It is sent once; its delivery tells how it went. A test that arrives enables a disabled webhook.',
      'DeliveryAnswer',
    ),
  },
  '/v1/webhooks/{webhook}/deliveries': {
    parameters: [parameters.webhook],
    get: operation(
      'listDeliveries',
      'Messages to the webhook.',
      'What was sent to it, newest first, and what is to be sent again.',
      'DeliveriesAnswer',
    ),
  },
  '/v1/webhooks/{webhook}/deliveries/{delivery}': {
    parameters: [parameters.webhook, parameters.delivery],
    get: operation(
      'readDelivery',
      'One message to the webhook.',
      'How often it was sent, how the last attempt went, and what it holds.',
      'DeliveryAnswer',
    ),
  },
  '/v1/webhooks/{webhook}/deliveries/{delivery}/replay': {
    parameters: [parameters.webhook, parameters.delivery],
    post: operation(
      'replayDelivery',
      'Send a message once more.',
      'Takes a message that ended, or is more than a minute late; it keeps its id.',
      'DeliveryAnswer',
    ),
  },
};

function operation(operationId: string, summary: string, description: string, answer: string): Operation {
  return { operationId, summary, description, tags: ['webhooks'], responses: { '200': answers('Done.', answer, true), ...failures(false) } };
}

function received(operationId: string, summary: string, component: string, example: object): OpenAPIV3_1.PathItemObject {
  const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: { type: 'string' as const } });
  return {
    post: {
      operationId,
      summary,
      description:
        'Sent to the url of the webhook and signed with its secret as Standard Webhooks has it. It arrives at least once: the same webhook-id is the same message. ' +
        'Texts in data, such as those of NFC tags, come from whoever holds them to the robot.',
      tags: ['webhooks'],
      // The signature takes the place of a key.
      security: [],
      parameters: [
        header('webhook-id', 'Names the message; the same however often it is sent.'),
        header('webhook-timestamp', 'When this attempt was sent, in seconds since 1970.'),
        header('webhook-signature', 'One or more signatures, v1,<base64> each, separated by spaces.'),
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${component}` }, examples: { example1: { value: example } } } },
      },
      responses: {
        '2XX': { description: 'The message arrived; the body is ignored.' },
        '410': { description: 'Ends the webhook: nothing more is sent to it.' },
        default: { description: 'The message is sent again, for about a day.' },
      },
    },
  };
}

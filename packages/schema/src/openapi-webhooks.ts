/** The paths of webhooks in the OpenAPI description. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { answers, failures } from './openapi-responses.js';

type Operation = OpenAPIV3_1.OperationObject;

const at = '2026-01-01T12:00:00.000Z';
const webhook = { id: 'w-7k2m9qx4tb', url: 'https://example.com/robots', robots: null, names: ['tap', 'pat'], created_at: at, disabled: null };

const parameters = {
  webhook: { $ref: '#/components/parameters/webhook' },
  delivery: { $ref: '#/components/parameters/delivery' },
};

/** By path, as `openapi.ts` has the others. */
export const webhookPaths = {
  '/v1/webhooks': {
    get: operation('listWebhooks', "The account's webhooks, as far as the key reaches their robots.", 'WebhooksAnswer'),
    post: {
      ...operation('makeWebhook', 'Make a webhook: events are sent to its address as they happen.', 'WebhookMadeAnswer'),
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
    get: operation('readWebhook', 'A webhook.', 'WebhookAnswer'),
    delete: operation('removeWebhook', 'Remove a webhook; nothing more is sent to it.', 'WebhookRemovedAnswer'),
  },
  '/v1/webhooks/{webhook}/test': {
    parameters: [parameters.webhook],
    post: operation('testWebhook', 'Send a test to the webhook, once; its delivery tells how it went.', 'DeliveryAnswer'),
  },
  '/v1/webhooks/{webhook}/deliveries': {
    parameters: [parameters.webhook],
    get: operation('listDeliveries', 'What was sent to the webhook, and what is to be sent again.', 'DeliveriesAnswer'),
  },
  '/v1/webhooks/{webhook}/deliveries/{delivery}': {
    parameters: [parameters.webhook, parameters.delivery],
    get: operation('readDelivery', 'One message to the webhook.', 'DeliveryAnswer'),
  },
  '/v1/webhooks/{webhook}/deliveries/{delivery}/replay': {
    parameters: [parameters.webhook, parameters.delivery],
    post: operation('replayDelivery', 'Send a message that ended, or is more than a minute late, once more, under its id.', 'DeliveryAnswer'),
  },
};

function operation(operationId: string, summary: string, answer: string): Operation {
  return { operationId, summary, tags: ['webhooks'], responses: { '200': answers('Done.', answer, true), ...failures(false) } };
}

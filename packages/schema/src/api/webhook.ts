/** Webhooks: events of an account's robots, sent to a URL as they happen, signed according to Standard Webhooks. */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { answerObject, argsObject } from '../actions/action.js';
import { nullable } from '../actions/wait.js';
import { compile } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { EventNameSchema, type RobotEvent } from './event.js';
import { limits } from './limits.js';
import { oneOf, openObject } from '../validation/open-object.js';
import { robotName } from '../validation/person-text.js';
import { problemError } from '../validation/problem.js';
import { normalizedWebhookUrl } from './webhook-url.js';

const { urlCharsMax, robotsMax, keptDeliveries } = limits.webhooks;

const url = Type.String({
  minLength: 1,
  maxLength: urlCharsMax,
  description: 'Where events are sent: an https URL on port 443 or 8443 that is reachable from the internet. It is stored in normalised form.',
});

export const WebhookArgumentsSchema = argsObject({
  url,
  robots: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      minItems: 1,
      maxItems: robotsMax,
      description: 'Only events of these robots. If omitted: all robots of the account, including those added later.',
    }),
  ),
  names: Type.Optional(Type.Array(EventNameSchema, { minItems: 1, description: 'Only these event names. If omitted: all.' })),
});

export interface WebhookArguments {
  url: string;
  robots?: string[];
  names?: RobotEvent['name'][];
}

export const WebhookSchema = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    robots: nullable(Type.Array(Type.String()), 'The robots whose events are sent; null: all robots of the account.'),
    names: nullable(Type.Array(EventNameSchema), 'The event names that are sent; null: all.'),
    created_at: Type.String({ format: 'date-time' }),
    created_by: nullable(
      Type.Object({ id: Type.String(), name: Type.String() }),
      'The API key that created the webhook. Null if that key was revoked or expired, or the webhook was created on the web page.',
    ),
    disabled: nullable(Type.String(), 'Why the webhook is disabled, or null. A successful test enables it again.'),
  },
  { description: 'A webhook. Its secret is shown only when it is created.' },
);

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

export const DeliverySchema = Type.Object(
  {
    id: Type.String({ description: 'Sent as webhook-id: the same for all attempts.' }),
    status: oneOf(deliveryStatuses, { description: 'pending: the next attempt is at next_at.' }),
    robot: nullable(Type.String(), 'Null for a test.'),
    type: Type.String({ description: 'The event name, or test.' }),
    created_at: Type.String({ format: 'date-time' }),
    attempts: Type.Integer({ minimum: 0 }),
    last_at: nullable(Type.String({ format: 'date-time' }), 'Time of the last attempt.'),
    last_status: nullable(Type.Integer(), 'HTTP status of the response; null if there was none.'),
    last_error: nullable(Type.String(), 'Error of the last attempt.'),
    next_at: nullable(Type.String({ format: 'date-time' }), 'Time of the next attempt.'),
    payload: openObject('The message: type, timestamp and data.'),
  },
  { description: `A message to a webhook. The last ${keptDeliveries} finished ones are kept.` },
);

export type WebhookView = Static<typeof WebhookSchema>;
export type DeliveryView = Static<typeof DeliverySchema>;

export const webhookAnswers = {
  WebhooksAnswer: answerObject({ webhooks: Type.Array(WebhookSchema) }),
  WebhookAnswer: answerObject({ webhook: WebhookSchema }),
  WebhookMadeAnswer: answerObject({
    webhook: WebhookSchema,
    secret: Type.String({ description: 'Secret for verifying signatures (Standard Webhooks). Shown only once.' }),
  }),
  WebhookRemovedAnswer: answerObject({}),
  DeliveriesAnswer: answerObject({ deliveries: Type.Array(DeliverySchema, { description: 'Newest first.' }) }),
  DeliveryAnswer: answerObject({ delivery: DeliverySchema }),
} as const;

const fits = compile(WebhookArgumentsSchema);

/**
 * Validates the arguments of a new webhook and normalises its URL.
 * @param allowPrivate whether the operator allows http, any port, and addresses not reachable from the internet
 * @throws {ApiError} bad_argument with `field`
 */
export function validateWebhook(body: unknown, allowPrivate: boolean): WebhookArguments {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw problemError({ message: 'The body must be a JSON object with a url.' });
  if (!fits(body)) throw problemError(argumentProblem(fits.errors, body, 'a webhook'));
  const args = body as WebhookArguments;
  const normalized = normalizedWebhookUrl(args.url, allowPrivate);
  if ('problem' in normalized) throw problemError({ field: 'url', message: normalized.problem });
  return { ...args, url: normalized.url };
}

/** Returns the message for an event. */
export function webhookPayload(robot: { id: string; name: string }, event: RobotEvent): Record<string, unknown> {
  return { type: event.name, timestamp: event.at, data: { robot: robot.id, robot_name: robotName(robot.id, robot.name), ...event } };
}

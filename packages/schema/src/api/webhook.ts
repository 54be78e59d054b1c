/** Events of an account's robots, sent to a URL as they happen, signed according to Standard Webhooks. */
import { Type, type Static } from 'typebox';
import { answerObject, argsObject } from '../definition/action.js';
import { nullable } from '../definition/wait.js';
import { compile } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { EventNameSchema, type RobotEvent } from '../robots/event.js';
import { limits } from '../base/limits.js';
import { oneOf, openObject, problemError } from '../base/open-object.js';
import { robotName } from '../base/plain-text.js';
import { isObject } from '../base/is-object.js';
import { outsideUrl } from './outside-url.js';

const { urlCharsMax, robotsMax, keptDeliveries, overlapSDefault, overlapSMax } = limits.webhooks;

const url = Type.String({
  minLength: 1,
  maxLength: urlCharsMax,
  description: 'Where events are sent: an https URL on port 443 or 8443 that is reachable from the internet. It is stored in normalised form.',
});

const robots = { items: Type.String({ maxLength: 64 }), minItems: 1, maxItems: robotsMax } as const;

export const WebhookArgumentsSchema = argsObject({
  url,
  robots: Type.Optional(
    Type.Array(robots.items, {
      minItems: robots.minItems,
      maxItems: robots.maxItems,
      description: 'Only events of these robots. If omitted: all robots of the account, including those added later.',
    }),
  ),
  names: Type.Optional(Type.Array(EventNameSchema, { minItems: 1, description: 'Only these event names. If omitted: all.' })),
});

/** Omitted fields keep their values. */
export const WebhookChangesSchema = argsObject({
  url: Type.Optional(url),
  robots: Type.Optional(
    nullable(
      Type.Array(robots.items, { minItems: robots.minItems, maxItems: robots.maxItems }),
      'Only events of these robots; null: all robots of the account, including those added later.',
    ),
  ),
  names: Type.Optional(nullable(Type.Array(EventNameSchema, { minItems: 1 }), 'Only these event names; null: all.')),
  paused: Type.Optional(
    Type.Boolean({
      description:
        'true: nothing is sent but tests; pending messages end as failed, and events are not sent later. false: events from now on are sent again.',
    }),
  ),
});

export const WebhookSecretArgumentsSchema = argsObject({
  overlap_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: overlapSMax,
      default: overlapSDefault,
      description: `Seconds for which messages are signed with the former secret as well, so that the receiver can change over; default ${overlapSDefault}.`,
    }),
  ),
});

export interface WebhookArguments {
  url: string;
  robots?: string[];
  names?: RobotEvent['name'][];
}

export interface WebhookChanges {
  url?: string;
  robots?: string[] | null;
  names?: RobotEvent['name'][] | null;
  paused?: boolean;
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
    disabled: nullable(Type.String(), 'Why the webhook is disabled, or null. Unless it is paused, a successful test enables it again.'),
    paused: Type.Boolean({ description: 'Whether its owner paused it; disabled says so, too.' }),
    former_secret_until: nullable(
      Type.String({ format: 'date-time' }),
      'Until when messages are signed with the former secret as well; null: only with the secret.',
    ),
  },
  { description: 'A webhook. Its secret is shown only when it is created or replaced.' },
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
const changesFit = compile(WebhookChangesSchema);
const secretFits = compile<{ overlap_s?: number }>(WebhookSecretArgumentsSchema);

/** @param allowPrivate as for `normalizedWebhookUrl` @throws {ApiError} bad_argument with `field` */
export function validateWebhook(body: unknown, allowPrivate: boolean): WebhookArguments {
  if (!isObject(body)) throw problemError({ message: 'The body must be a JSON object with a url.' });
  if (!fits(body)) throw problemError(argumentProblem(fits.errors, body, 'a webhook'));
  const args = body as unknown as WebhookArguments;
  return { ...args, url: normalizedUrl(args.url, allowPrivate) };
}

export function validateWebhookChanges(body: unknown, allowPrivate: boolean): WebhookChanges {
  if (!isObject(body) || Object.keys(body).length === 0)
    throw problemError({ message: 'The body must be a JSON object with what changes: url, robots, names or paused.' });
  if (!changesFit(body)) throw problemError(argumentProblem(changesFit.errors, body, 'a change of a webhook'));
  const { url: wanted, ...changes } = body as WebhookChanges;
  return wanted === undefined ? changes : { ...changes, url: normalizedUrl(wanted, allowPrivate) };
}

/** @returns ms @throws {ApiError} bad_argument with `field` */
export function validateSecretOverlap(body: unknown): number {
  if (!isObject(body)) throw problemError({ message: 'The body must be a JSON object; send {} for an overlap of a day.' });
  if (!secretFits(body)) throw problemError(argumentProblem(secretFits.errors, body, 'a new secret'));
  return (body.overlap_s ?? overlapSDefault) * 1000;
}

function normalizedUrl(text: string, allowPrivate: boolean): string {
  const normalized = normalizedWebhookUrl(text, allowPrivate);
  if ('problem' in normalized) throw problemError({ field: 'url', message: normalized.problem });
  return normalized.url;
}

export function webhookPayload(robot: { id: string; name: string }, event: RobotEvent): Record<string, unknown> {
  return { type: event.name, timestamp: event.at, data: { robot: robot.id, robot_name: robotName(robot.id, robot.name), ...event } };
}

/** Lower-case ASCII host, no default port, `.` and `..` resolved, no fragment. `allowPrivate` permits http, any port, and private addresses. */
function normalizedWebhookUrl(text: string, allowPrivate: boolean): { url: string } | { problem: string } {
  const parsed = outsideUrl(text, allowPrivate);
  if ('problem' in parsed) return { problem: parsed.problem + (advice[parsed.problem] ?? (allowPrivate ? '' : setting)) };
  const { href } = parsed.url;
  if (href.length > limits.webhooks.urlCharsMax) return { problem: `is longer than ${limits.webhooks.urlCharsMax} characters after normalisation` };
  return { url: href };
}

const setting =
  '; http, other ports and private addresses need PERCH_WEBHOOK_ALLOW_PRIVATE=true, which npm start without --lan sets on a machine of your own';

const advice: Record<string, string> = {
  'is not a URL': '; send one such as https://example.com/robots',
  'must not contain a user name or password': '; receivers authenticate messages by their signature',
};

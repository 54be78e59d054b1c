import {
  actions,
  compounds,
  consoleErrorCodes,
  errorCodes,
  type ActionName,
  type CompoundName,
  type ConsoleErrorCode,
  type ErrorCode,
} from '@perch/schema';
import { gatewayConnectionMetrics } from './connection-metrics.js';
import type { MetricRows } from './metric-row.js';

const interfaceActions: readonly (ActionName | CompoundName)[] = [...actions, ...compounds].map(({ name }) => name);
/** Requests of the interface that are not actions on a robot, over HTTP and as tools. */
const robotRequests = ['robots', 'groups', 'pictures', 'webhooks', 'activity', 'waits', 'events_stream', 'screen', 'preview'] as const;
const otherRequests = [...robotRequests, 'mcp', 'actions', 'icons', 'openapi', 'llms', 'preflight', 'oauth', 'page', 'unknown'] as const;
const consoleRequests = [
  'console_account_export',
  'console_account_removal',
  'console_accounts',
  'console_authorizations',
  'console_key',
  'console_key_secret',
  'console_keys',
  'console_live',
  'console_oidc',
  'console_pairings',
  'console_passkey',
  'console_passkeys',
  'console_password',
  'console_password_resets',
  'console_people',
  'console_robot',
  'console_robot_log',
  'console_robot_program',
  'console_robot_token',
  'console_robot_update',
  'console_robots',
  'console_screen',
  'console_screens',
  'console_session',
  'console_sessions',
  'console_shares',
  'console_shown',
  'console_verifications',
] as const;

export type RequestAction = ActionName | CompoundName | (typeof otherRequests)[number] | (typeof consoleRequests)[number];
export const requestActions: readonly RequestAction[] = [...interfaceActions, ...otherRequests, ...consoleRequests];

/** Label `code` of a request: `ok`, the code of the error, or `client_closed` if the client closed its connection first. */
export type RequestCode = 'ok' | 'client_closed' | ErrorCode | ConsoleErrorCode;
const ends = ['ok', 'client_closed'] as const;
const interfaceCodes: readonly RequestCode[] = [...ends, ...(Object.keys(errorCodes) as ErrorCode[])];
const consoleCodes = Object.keys(consoleErrorCodes) as ConsoleErrorCode[];
/** Codes that are common for requests of the console; series of other codes are created when they first occur. */
const commonCodes = [
  'bad_argument',
  'unauthorized',
  'not_found',
  'rate_limited',
  'internal',
  'storage_full',
  'service_unavailable',
  'draining',
] as const;
/** Codes of the page's errors that every request of the page can have. */
const sessionCodes = ['signed_out', 'forbidden'] as const satisfies readonly ConsoleErrorCode[];
/** Requests of the page that check a password or a passkey. */
const signInRequests = ['console_session', 'console_accounts', 'console_password', 'console_passkey'] as const;

export const signInRefusals = [
  'wrong_credentials',
  'too_many_attempts',
  'too_busy',
  'sign_up_closed',
  'oidc_cancelled',
  'oidc_email_taken',
  'oidc_expired',
  'oidc_failed',
  'oidc_no_email',
  'other',
] as const;

export const mailKinds = ['password_reset', 'verification', 'account_notice'] as const;
export type MailKind = (typeof mailKinds)[number];
export const mailOutcomes = ['sent', 'failed', 'dropped'] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

export const gatewayMetrics = {
  ...gatewayConnectionMetrics,
  perch_gateway_requests_total: {
    type: 'counter',
    labels: { action: requestActions, code: [...interfaceCodes, ...consoleCodes] as readonly RequestCode[] },
    startsWith: [
      { action: [...interfaceActions, ...robotRequests], code: interfaceCodes },
      { action: consoleRequests, code: [...ends, ...commonCodes, ...sessionCodes] },
      { action: signInRequests, code: consoleCodes },
      { action: otherRequests.slice(robotRequests.length), code: [...ends, ...commonCodes] },
    ],
    help: 'Requests by action and by how they ended: ok, the code of the error, or client_closed if the client closed its connection before the answer. A call of a tool counts under the action of the tool.',
  },
  perch_gateway_request_seconds: {
    type: 'histogram',
    labels: { action: requestActions },
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 13, 60, 130],
    help: 'Duration of requests, from the headers of the request to the end of the answer. Includes the time that questions and polls wait for people.',
  },
  perch_gateway_sign_ins_refused_total: {
    type: 'counter',
    labels: { reason: signInRefusals },
    help: 'Attempts to sign in to the web page that were refused, by reason: by password, passkey or link, and with an OpenID Connect provider (oidc_).',
  },
  perch_gateway_mails_total: {
    type: 'counter',
    labels: { kind: mailKinds, outcome: mailOutcomes },
    help: 'E-mails to addresses of accounts, by outcome: sent (the SMTP server accepted it), failed, or dropped because too many were waiting.',
  },
  perch_gateway_held_calls: {
    type: 'gauge',
    labels: { kind: ['wait', 'poll', 'stream'] },
    help: 'Calls held open: waits for a person, long polls for events, and streams of events.',
  },
  perch_gateway_awaited_replies: { type: 'gauge', labels: {}, help: 'Messages to robot-links whose reply is pending.' },
  perch_gateway_watched_robots: { type: 'gauge', labels: {}, help: 'Robots whose events a caller of this instance waits for.' },
  perch_gateway_lookups: {
    type: 'gauge',
    labels: {},
    help: 'Robot lookups in progress, including those that wait for another robot-link to take the robot over.',
  },
  perch_gateway_awaited_renders: { type: 'gauge', labels: {}, help: 'Pictures and sounds being made that callers of this instance wait for.' },
  perch_gateway_renders_busy_total: {
    type: 'counter',
    labels: {},
    help: 'Pictures and sounds refused with the error busy because the account had used up its share of waiting ones.',
  },
  perch_gateway_renders_dropped_total: {
    type: 'counter',
    labels: {},
    help: 'Waiting pictures and sounds dropped before a renderer took them because no caller waited for them any longer.',
  },
  perch_gateway_subscriptions: {
    type: 'gauge',
    labels: {},
    help: 'Redis channels subscribed to: one for replies of robot-links, the others for events, waits, renders, calls under an Idempotency-Key and cancellations.',
  },
  perch_gateway_body_bytes: {
    type: 'gauge',
    labels: {},
    help: 'Memory reserved for request bodies that are arriving (PERCH_GATEWAY_BODY_BYTES).',
  },
  perch_gateway_waiting_bodies: {
    type: 'gauge',
    labels: {},
    help: 'Request bodies that are not read yet because their account or the instance has no memory reserved for them.',
  },
  perch_gateway_streams_ended_total: {
    type: 'counter',
    labels: { why: [...(Object.keys(errorCodes) as ErrorCode[]), 'hung_up', 'too_slow'] as readonly (ErrorCode | 'hung_up' | 'too_slow')[] },
    help: 'Streams of events that ended, by reason: the code in the last event, hung_up for a client that closed the connection, or too_slow for one that did not read.',
  },
  perch_gateway_activity_written_total: {
    type: 'counter',
    labels: {},
    help: 'Entries of the activity of accounts that were written: calls, sign-ins and changes.',
  },
  perch_gateway_activity_dropped_total: {
    type: 'counter',
    labels: { reason: ['full', 'redis'] },
    help: 'Entries of the activity of accounts, and screens that robots showed, that were dropped, by reason: full, because too many waited in memory, or redis, because Redis did not confirm the write.',
  },
  perch_gateway_instance_messages_unreadable_total: {
    type: 'counter',
    labels: { reason: ['batch', 'version', 'type', 'shape'] },
    help: 'Messages from robot-links that this release cannot read, by reason. The call that waits for the message ends with outcome_unknown.',
  },
} as const satisfies MetricRows;

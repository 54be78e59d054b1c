/** Each must be answered 404. */
import type { Call } from '../http/http-client.js';

export type OpenCall = Omit<Call, 'key'>;

/** @param own ids of the caller that are not webhooks @param foreign a webhook of another account */
export function unknownWebhookCalls(own: readonly string[], foreign: string): OpenCall[] {
  const ids = [
    foreign,
    `${foreign}%00`,
    `%20${foreign}`,
    foreign.toUpperCase(),
    ...own,
    'w-0000000000',
    'w-',
    '%00',
    '%ff',
    '%zz',
    '%2e%2e',
    '%2e%2e%2frobots',
    '..',
    '*',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    '%F0%9F%92%A5',
    '%0d%0aFLUSHALL',
    'w'.repeat(5000),
  ];
  const deliveries = ['msg_test_0', `msg_${foreign}_1`, '__proto__', '%00', '*', 'm'.repeat(5000)];
  return ids.flatMap((id) => [
    { method: 'GET' as const, path: `/v1/webhooks/${id}` },
    { method: 'DELETE' as const, path: `/v1/webhooks/${id}` },
    { method: 'PATCH' as const, path: `/v1/webhooks/${id}`, body: '{"paused":true}' },
    { path: `/v1/webhooks/${id}/secret`, body: '{}' },
    { path: `/v1/webhooks/${id}/test` },
    { path: `/v1/webhooks/${id}/test`, body: '{}' },
    { method: 'GET' as const, path: `/v1/webhooks/${id}/deliveries` },
    ...deliveryCalls(id, deliveries),
  ]);
}

export function deliveryCalls(webhook: string, deliveries: readonly string[]): OpenCall[] {
  return deliveries.flatMap((delivery) => [
    { method: 'GET' as const, path: `/v1/webhooks/${webhook}/deliveries/${delivery}` },
    { path: `/v1/webhooks/${webhook}/deliveries/${delivery}/replay` },
  ]);
}

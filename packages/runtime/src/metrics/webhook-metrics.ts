import type { MetricRows } from './metric-row.js';

export const webhookMetrics = {
  perch_webhook_attempts_total: {
    type: 'counter',
    labels: { outcome: ['delivered', 'again', 'failed'] },
    help: 'Attempts to deliver a message to a webhook, by outcome. again: the attempt failed and will be retried.',
  },
  perch_webhook_left_out_total: {
    type: 'counter',
    labels: {},
    help: 'Messages that were never sent because too many messages of their webhook were pending or the storage of the account was full.',
  },
  perch_webhook_attempt_seconds: {
    type: 'histogram',
    labels: {},
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    help: 'Duration of an attempt, from the DNS lookup to the answer.',
  },
  perch_webhook_open_attempts: { type: 'gauge', labels: {}, help: 'Delivery attempts of this instance in flight.' },
  perch_webhook_waiting_messages: {
    type: 'gauge',
    labels: {},
    help: 'Messages of all accounts that wait for an attempt. Every instance reports the same number.',
  },
  perch_webhook_oldest_waiting_message_seconds: {
    type: 'gauge',
    labels: {},
    help: 'How long the oldest message of all accounts has been due for an attempt; 0 if none is due. A message that waits for its next retry is not due. Every instance reports the same number.',
  },
} as const satisfies MetricRows;

/** What the webhooks service counts. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export const outcomes = ['delivered', 'again', 'failed'] as const;

export interface WebhookMetrics {
  ended(outcome: (typeof outcomes)[number]): void;
  leftOut(count: number): void;
  /** An attempt begins. @returns to be called when it ended, however it did */
  attempting(): () => void;
}

export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'perch_webhook_attempts_total',
    help: 'Messages sent to webhooks, by how it went; again is a failure that is sent again.',
    labelNames: ['outcome'],
    registers,
  });
  const left = new Counter({
    name: 'perch_webhook_left_out_total',
    help: 'Messages that were never sent, because too many of their webhook were pending or the storage of the account was full.',
    registers,
  });
  const seconds = new Histogram({
    name: 'perch_webhook_attempt_seconds',
    help: 'From the lookup of the address to the answer.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  });
  const open = new Gauge({ name: 'perch_webhook_open_attempts', help: 'Messages on their way.', registers });
  for (const outcome of outcomes) attempts.inc({ outcome }, 0);
  return {
    ended: (outcome) => attempts.inc({ outcome }),
    leftOut: (count) => left.inc(count),
    attempting() {
      open.inc();
      const observe = seconds.startTimer();
      return () => {
        open.dec();
        observe();
      };
    },
  };
}

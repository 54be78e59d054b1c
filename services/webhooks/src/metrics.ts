import { scrapeCache, type LabelsOf, type Metrics } from '@perch/runtime';
import type { JobBacklog } from '@perch/store';

export interface WebhookMetrics {
  ended(outcome: LabelsOf<'perch_webhook_attempts_total'>['outcome']): void;
  leftOut(count: number): void;
  /** @returns a function to call when the attempt ended, whatever the outcome */
  attempting(): () => void;
}

export function createWebhookMetrics(metrics: Metrics, readBacklog: () => Promise<JobBacklog>): WebhookMetrics {
  const attempts = metrics.counter('perch_webhook_attempts_total');
  const leftOut = metrics.counter('perch_webhook_left_out_total');
  const seconds = metrics.histogram('perch_webhook_attempt_seconds');
  const open = metrics.gauge('perch_webhook_open_attempts');
  const backlog = scrapeCache(readBacklog);
  metrics.gauge('perch_webhook_waiting_messages', async () => (await backlog())?.waiting ?? null);
  metrics.gauge('perch_webhook_oldest_waiting_message_seconds', async () => {
    const read = await backlog();
    if (read === null) return null;
    return read.oldestAt === null ? 0 : Math.max(0, Date.now() - read.oldestAt) / 1000;
  });
  return {
    ended: (outcome) => attempts.inc({ outcome }),
    leftOut: (count) => leftOut.inc(count),
    attempting() {
      open.inc();
      const startedAt = performance.now();
      return () => {
        open.dec();
        seconds.observe((performance.now() - startedAt) / 1000);
      };
    },
  };
}

/** The webhooks service: sends events to addresses that users chose, apart from the other services, so that slow receivers delay no one. */
import { defineService, type ConfigOf, type ServiceApp, type ServiceContext, scrapeCache, type LabelsOf, type Metrics } from '@perch/runtime';
import { serviceStore, type Store, type JobBacklog } from '@perch/store';
import { settingsProblems, webhooksSettings, retriesMs } from './config.js';
import { send } from './send.js';

function createApp({ config, store, log, metrics, tracing }: ServiceContext<ConfigOf<typeof webhooksSettings>, Store>): ServiceApp {
  const counted = createWebhookMetrics(metrics, () => worker.backlog());
  const worker = store.deliver({
    concurrency: config.concurrency,
    // Not null: `settingsProblems` has checked it.
    retriesMs: retriesMs(config.retryS)!,
    handlers: {
      ended: (outcome) => counted.ended(outcome),
      leftOut: (count) => counted.leftOut(count),
      async send(webhook, message, signal) {
        const ended = counted.attempting();
        const attributes = { 'perch.webhook': webhook.id, 'perch.message': message.id };
        // A separate trace, since events are not caused by calls. It is not propagated to the receiver, which has the message's id.
        const span = tracing?.sample('deliver to webhook', undefined, { kind: 'client', attributes }) ?? null;
        try {
          const result = await send(webhook, message, signal, { allowPrivate: config.allowPrivate });
          const { status, error } = result;
          if (status !== null) span?.set({ 'http.response.status_code': status });
          if (error !== null) span?.fail(status === null ? 'not_sent' : String(status));
          log.debug({ webhook: webhook.id, message: message.id, ...(span && { trace_id: span.traceId }), ...result }, 'webhook message sent');
          return result;
        } finally {
          span?.end();
          ended();
        }
      },
    },
  });
  return { start: () => worker.ready(), stop: () => worker.close() };
}

interface WebhookMetrics {
  ended(outcome: LabelsOf<'perch_webhook_attempts_total'>['outcome']): void;
  leftOut(count: number): void;
  /** @returns a function to call when the attempt ended, whatever the outcome */
  attempting(): () => void;
}

function createWebhookMetrics(metrics: Metrics, readBacklog: () => Promise<JobBacklog>): WebhookMetrics {
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

export const webhooksService = defineService({
  component: 'webhooks',
  settings: webhooksSettings,
  problems: settingsProblems,
  // Deliveries in flight are aborted and sent again by another instance.
  stopMs: () => 5000,
  store: serviceStore,
  storeOptions: ({ accountStorageMb }) => ({ accountStorageMb }),
  app: createApp,
});

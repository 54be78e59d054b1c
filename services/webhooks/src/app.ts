import type { ConfigOf, ServiceApp, ServiceContext } from '@perch/runtime';
import type { Store } from '@perch/store';
import { retriesMs, type webhooksSettings } from './config.js';
import { createWebhookMetrics } from './metrics.js';
import { send } from './send.js';

export function createApp({ config, store, log, metrics, tracing }: ServiceContext<ConfigOf<typeof webhooksSettings>, Store>): ServiceApp {
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

/** Entry point of the webhooks service, which sends events to webhooks. It is the only process that connects to addresses chosen by users. */
import {
  adminServer,
  announceReady,
  configOrExit,
  createLogger,
  createMetrics,
  Health,
  Lifecycle,
  measureInstance,
  newInstanceId,
  openTracing,
  redisAccess,
} from '@perch/runtime';
import { openStoreWhenUp, wireVersionWritten, type Store } from '@perch/store';
import { retriesMs, webhooksSettings } from './config.js';
import { createWebhookMetrics } from './metrics.js';
import { send } from './send.js';

/** Time to stop, ms. Deliveries in flight are aborted and sent again by another instance. */
const stopMs = 5000;

const config = configOrExit(webhooksSettings, process.env);
const retries = retriesMs(config.retryS);
if (retries === null) {
  process.stderr.write('PERCH_WEBHOOK_RETRY_S: expected up to 20 numbers of seconds, separated by commas\n');
  process.exit(1);
}
const instance = newInstanceId('wh');
const log = createLogger({ level: config.logLevel, service: 'webhooks', instance });
const metrics = createMetrics('webhooks');
const counted = createWebhookMetrics(metrics, async () => {
  if (worker === undefined) throw new Error('the worker has not been started');
  return worker.backlog();
});
const tracing = await openTracing({ config, service: 'webhooks', instance, log });
const health = new Health();
const admin = adminServer({ host: config.adminHost, port: config.adminPort, health, metrics });
const lifecycle = new Lifecycle({ log, health, stopMs, drainDelayMs: config.drainDelayMs });

let store: Store | undefined;
let worker: ReturnType<Store['deliver']> | undefined;

const { onRoundTrip } = measureInstance(metrics, { health, wireVersion: wireVersionWritten, store: () => store });
health.addCheck('redis', () => store?.trouble() ?? 'The store is not open yet.');

await lifecycle.run([
  admin,
  { name: 'traces', stop: () => tracing?.close() },
  {
    name: 'store',
    async start(signal) {
      const { jobShards, accountStorageMb } = config;
      const onError = (error: Error): void => log.warn({ err: error }, 'trouble with redis');
      store = await openStoreWhenUp({ ...redisAccess(config), instance, jobShards, accountStorageMb, onRoundTrip, onError }, signal);
    },
    stop: () => store?.close(),
  },
  {
    name: 'deliveries',
    async start() {
      worker = store?.deliver({
        concurrency: config.concurrency,
        retriesMs: retries,
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
      await worker?.ready();
    },
    stop: () => worker?.close(),
  },
]);
announceReady({ service: 'webhooks', instance, admin: admin.address }, log);

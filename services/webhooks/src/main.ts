/** The process that sends events to webhooks: the only one that talks to addresses that others chose. */
import { adminServer, announceReady, configOrExit, createLogger, createMetrics, Health, Lifecycle, newInstanceId } from '@perch/runtime';
import { openStoreWhenUp, type Store } from '@perch/store';
import { retriesMs, webhooksSettings } from './config.js';
import { createWebhookMetrics } from './metrics.js';
import { send } from './send.js';

/** What is on its way is broken off and sent again by another instance. */
const stopMs = 5000;

const config = configOrExit(webhooksSettings, process.env);
const retries = retriesMs(config.retryS);
if (retries === null) {
  process.stderr.write('PERCH_WEBHOOK_RETRY_S: takes up to 20 numbers of seconds with commas between\n');
  process.exit(1);
}
const instance = newInstanceId('wh');
const log = createLogger({ level: config.logLevel, service: 'webhooks', instance });
const registry = createMetrics('webhooks');
const metrics = createWebhookMetrics(registry);
const health = new Health();
const admin = adminServer({ host: config.adminHost, port: config.adminPort, health, metrics: registry });
const lifecycle = new Lifecycle({ log, health, stopMs });

let store: Store | undefined;
let worker: ReturnType<Store['deliver']> | undefined;

health.addCheck('redis', () => store?.trouble() ?? 'The store is not open yet.');

await lifecycle.run([
  admin,
  {
    name: 'store',
    async start(signal) {
      const { redisUrl: url, accountStorageMb } = config;
      const onError = (error: Error): void => log.warn({ err: error }, 'trouble with redis');
      store = await openStoreWhenUp({ url, instance, accountStorageMb, onError }, signal);
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
          ended: (outcome) => metrics.ended(outcome),
          leftOut: (count) => metrics.leftOut(count),
          async send(webhook, message, signal) {
            const ended = metrics.attempting();
            try {
              const result = await send(webhook, message, signal, { allowPrivate: config.allowPrivate });
              log.debug({ webhook: webhook.id, message: message.id, ...result }, 'a message was sent');
              return result;
            } finally {
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

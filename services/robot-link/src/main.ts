/** The process of a robot-link: settings, connections, signals. */
import { adminServer, announceReady, configOrExit, createLogger, createMetrics, Health, Lifecycle, newInstanceId } from '@perch/runtime';
import { openStoreWhenUp, type Store } from '@perch/store';
import { createApp, type App } from './app.js';
import { settings } from './config.js';

/** Beside the drain, ms: to close what is open. */
const stopSlackMs = 5000;

const service = 'robot-link';
const config = configOrExit(settings, process.env);
const instance = newInstanceId('link');
const log = createLogger({ level: config.logLevel, service, instance });
const registry = createMetrics(service);
const health = new Health();
const lifecycle = new Lifecycle({ log, health, stopMs: config.drainMs + stopSlackMs });
const admin = adminServer({ host: config.adminHost, port: config.adminPort, health, metrics: registry });

let store: Store | undefined;
let app: App | undefined;

health.addCheck('redis', () => store?.trouble() ?? 'The store is not open yet.');

await lifecycle.run([
  admin,
  {
    name: 'store',
    async start(signal) {
      const { redisUrl: url, eventsKept, accountStorageMb } = config;
      const onError = (error: Error): void => log.warn({ err: error }, 'trouble with redis');
      store = await openStoreWhenUp({ url, instance, eventsKept, accountStorageMb, onError }, signal);
    },
    stop: () => store?.close(),
  },
  {
    name: 'robot link',
    async start(signal) {
      if (store === undefined) throw new Error('the store was not opened');
      app = createApp({ store, log, registry, config });
      await app.start?.(signal);
    },
    stop: (signal) => app?.stop?.(signal),
  },
]);
announceReady({ service, instance, address: app?.address ?? '', admin: admin.address }, log);

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
import { createApp, type App } from './app.js';
import { settings } from './config.js';
import { robotsPage } from './metrics/robots-page.js';

/** Time to close connections after the drain, ms. */
const stopSlackMs = 5000;

const service = 'robot-link';
const config = configOrExit(settings, process.env);
const instance = newInstanceId('link');
const log = createLogger({ level: config.logLevel, service, instance });
const metrics = createMetrics(service);
const tracing = await openTracing({ config, service, instance, log });
const health = new Health();
const lifecycle = new Lifecycle({ log, health, stopMs: config.drainMs + stopSlackMs, drainDelayMs: config.drainDelayMs });

let store: Store | undefined;
let app: App | undefined;

const pages = { '/metrics/robots': robotsPage({ robots: () => app?.robots ?? [], enabled: config.metricsRobots }) };
const admin = adminServer({ host: config.adminHost, port: config.adminPort, health, metrics, pages });

const { onRoundTrip } = measureInstance(metrics, { health, wireVersion: wireVersionWritten, store: () => store });
health.addCheck('redis', () => store?.trouble() ?? 'The store is not open yet.');

await lifecycle.run([
  admin,
  { name: 'traces', stop: () => tracing?.close() },
  {
    name: 'store',
    async start(signal) {
      const { jobShards, accountStorageMb } = config;
      const eventsKept = { count: config.eventsKept, ms: config.eventsKeptDays * 86_400_000 };
      const onError = (error: Error): void => log.warn({ err: error }, 'trouble with redis');
      store = await openStoreWhenUp({ ...redisAccess(config), instance, jobShards, eventsKept, accountStorageMb, onRoundTrip, onError }, signal);
    },
    stop: () => store?.close(),
  },
  {
    name: 'robot link',
    async start(signal) {
      if (store === undefined) throw new Error('the store was not opened');
      app = createApp({ store, log, tracing, metrics, config });
      await app.start?.(signal);
    },
    stopsSoon: () => app?.stopsSoon?.(),
    stop: (signal) => app?.stop?.(signal),
  },
]);
announceReady({ service, instance, address: app?.address ?? '', admin: admin.address }, log);

/** The process of a robot-link: settings, connections, signals. */
import { adminServer, announceReady, configOrExit, createLogger, createMetrics, Health, Lifecycle, newInstanceId } from '@perch/runtime';
import { openStore } from '@perch/store';
import { createApp } from './app.js';
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

const store = await openStore({
  url: config.redisUrl,
  instance,
  eventsKept: config.eventsKept,
  onError: (error) => log.warn({ err: error }, 'redis'),
});
health.addCheck('redis', () => store.trouble());
const app = createApp({ store, log, registry, config });

await lifecycle.run([admin, { name: 'store', stop: () => store.close() }, app]);
announceReady({ service, instance, address: app.address, admin: admin.address }, log);

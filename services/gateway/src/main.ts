/** Entry point of the gateway process. */
import { fileURLToPath } from 'node:url';
import {
  adminServer,
  announceReady,
  configOrExit,
  createLogger,
  createMetrics,
  Health,
  Lifecycle,
  measureInstance,
  mediaBounds,
  newInstanceId,
  openTracing,
  redisAccess,
} from '@perch/runtime';
import { openStoreWhenUp, wireVersionWritten, type Store } from '@perch/store';
import { accountSettings, gatewaySettings, settingsProblems } from './config.js';
import { createGateway } from './gateway.js';

const config = configOrExit(gatewaySettings, process.env, settingsProblems);
const instance = newInstanceId('gw');
const log = createLogger({ level: config.logLevel, service: 'gateway', instance });
const pageFolder = fileURLToPath(new URL('../../../packages/console/dist', import.meta.url));
const metrics = createMetrics('gateway');
const tracing = await openTracing({ config, requestedPerS: config.tracesRequestedPerS, service: 'gateway', instance, log });
const health = new Health();
const admin = adminServer({ host: config.adminHost, port: config.adminPort, health, metrics });

/** Beyond the drain: time to finish the last responses and to close the Redis connections. */
const stopMs = config.drainMs + 10_000;
const lifecycle = new Lifecycle({ log, health, stopMs, drainDelayMs: config.drainDelayMs });

let store: Store | undefined;
let gateway: ReturnType<typeof createGateway> | undefined;
let address = '';

const { onRoundTrip } = measureInstance(metrics, { health, wireVersion: wireVersionWritten, store: () => store });
health.addCheck('redis', () => store?.trouble() ?? 'The store is not open yet.');

await lifecycle.run([
  admin,
  { name: 'traces', stop: () => tracing?.close() },
  {
    name: 'store',
    async start(signal) {
      const options = {
        ...redisAccess(config),
        instance,
        jobShards: config.jobShards,
        accountStorageMb: config.accountStorageMb,
        mediaBounds: mediaBounds(config),
        renderShare: { jobsMax: config.renderJobs, pixelsMax: config.renderMegapixels * 1e6 },
        onRoundTrip,
        onError: (error: Error) => log.warn({ err: error }, 'trouble with redis'),
      };
      store = await openStoreWhenUp(options, signal);
    },
    stop: () => store?.close(),
  },
  {
    name: 'http',
    async start() {
      if (store === undefined) throw new Error('the store was not opened');
      const {
        host,
        port,
        publicUrl,
        linkPublicUrl,
        trustProxy,
        drainMs,
        allowPrivateWebhooks,
        accountKeys,
        accountRobots,
        accountActionsPerS,
        bodyBytes,
        connections,
      } = config;
      gateway = createGateway({
        store,
        log,
        metrics,
        tracing,
        host,
        port,
        publicUrl,
        linkPublicUrl,
        trustedProxies: trustProxy,
        drainMs,
        bodyBytes,
        connectionsMax: connections,
        allowPrivateWebhooks,
        accountActionsPerS,
        accountBounds: { keys: accountKeys, robots: accountRobots },
        pageFolder,
        accountSettings: accountSettings(config),
      });
      address = await gateway.start();
    },
    stopsSoon: () => gateway?.stopsSoon(),
    stop: (signal) => gateway?.stop(signal),
  },
]);
announceReady({ service: 'gateway', instance, address, admin: admin.address }, log);

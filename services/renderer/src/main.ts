/** Entry point of the renderer: takes jobs from the queue, makes pictures and sounds in child processes. */
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
import { rendererSettings } from './config.js';
import { renderHandlers } from './handlers.js';
import { createRenderMetrics } from './metrics.js';
import { RenderPool } from './render-pool.js';
import { measureStorage } from './storage-metrics.js';

/** Maximum duration of a job, ms; less than a caller waits for its picture. */
const jobMsMax = 6000;
/** Jobs are short and never wait for a person, so PERCH_DRAIN_MS does not apply. */
const stopMs = jobMsMax + 4000;
/**
 * Niceness of processes that draw uploads: on a busy machine they get about a third of the processor time of another process, so they are slowed but
 * not starved.
 */
const uploadNiceness = 5;

const config = configOrExit(rendererSettings, process.env);
const instance = newInstanceId('rd');
const log = createLogger({ level: config.logLevel, service: 'renderer', instance });
const metrics = createMetrics('renderer');
const tracing = await openTracing({ config, service: 'renderer', instance, log });
const health = new Health();
const admin = adminServer({ host: config.adminHost, port: config.adminPort, health, metrics });
const onError = (error: Error): void => log.error({ err: error }, 'render process ended or could not be started');
const pools = {
  scenes: new RenderPool({ processes: config.concurrency, jobMsMax, onError }),
  // A large upload takes a second of processor time; other jobs go first.
  uploads: new RenderPool({ processes: config.uploadConcurrency, jobMsMax, niceness: uploadNiceness, onError }),
};
// Needed after a stop that was cut short.
process.once('exit', () => Object.values(pools).forEach((pool) => pool.kill()));
const lifecycle = new Lifecycle({ log, health, stopMs, drainDelayMs: config.drainDelayMs });

let store: Store | undefined;
let worker: ReturnType<Store['jobs']['work']> | undefined;

const { onRoundTrip } = measureInstance(metrics, { health, wireVersion: wireVersionWritten, store: () => store });
health.addCheck('redis', () => store?.trouble() ?? 'The store is not open yet.');

await lifecycle.run([
  admin,
  { name: 'traces', stop: () => tracing?.close() },
  {
    name: 'render processes',
    start: async () => void (await Promise.all([pools.scenes.start(), pools.uploads.start()])),
    stop: async () => void (await Promise.all([pools.scenes.close(), pools.uploads.close()])),
  },
  {
    name: 'store',
    async start(signal) {
      const onError = (error: Error): void => log.warn({ err: error }, 'trouble with redis');
      store = await openStoreWhenUp(
        { ...redisAccess(config), instance, jobShards: config.jobShards, mediaBounds: mediaBounds(config), onRoundTrip, onError },
        signal,
      );
    },
    stop: () => store?.close(),
  },
  {
    name: 'jobs',
    async start() {
      if (store === undefined) throw new Error('the store was not opened');
      const { jobs } = store;
      const counted = createRenderMetrics(metrics, Object.values(pools));
      measureStorage(metrics, store);
      worker = jobs.work(renderHandlers(pools, counted, tracing), { scenes: config.concurrency, uploads: config.uploadConcurrency });
      await worker.ready();
    },
    stop: () => worker?.close(),
  },
]);
announceReady({ service: 'renderer', instance, admin: admin.address }, log);

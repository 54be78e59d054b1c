/** The renderer's process: takes jobs from the queue, draws pictures and makes sounds in child processes. */
import { adminServer, announceReady, configOrExit, createLogger, createMetrics, Health, Lifecycle, newInstanceId } from '@perch/runtime';
import { openStoreWhenUp, type Store } from '@perch/store';
import { rendererSettings } from './config.js';
import { renderHandlers } from './handlers.js';
import { createRenderMetrics } from './metrics.js';
import { RenderPool } from './render-pool.js';

/** Less than a caller waits for its picture. */
const jobMsMax = 6000;
/** Jobs are short and nobody waits here for a person: PERCH_DRAIN_MS is for the others. */
const stopMs = jobMsMax + 4000;

const config = configOrExit(rendererSettings, process.env);
const instance = newInstanceId('rd');
const log = createLogger({ level: config.logLevel, service: 'renderer', instance });
const registry = createMetrics('renderer');
const health = new Health();
const admin = adminServer({ host: config.adminHost, port: config.adminPort, health, metrics: registry });
const pool = new RenderPool({
  processes: config.concurrency,
  jobMsMax,
  onError: (error) => log.error({ err: error }, 'a render process was lost'),
});
// Also after a stop that was cut short.
process.once('exit', () => pool.kill());
const lifecycle = new Lifecycle({ log, health, stopMs });

let store: Store | undefined;
let worker: ReturnType<Store['jobs']['work']> | undefined;

health.addCheck('redis', () => store?.trouble() ?? 'The store is not open yet.');

await lifecycle.run([
  admin,
  { name: 'render processes', start: () => pool.start(), stop: () => pool.close() },
  {
    name: 'store',
    async start(signal) {
      store = await openStoreWhenUp({ url: config.redisUrl, instance, onError: (error) => log.warn({ err: error }, 'trouble with redis') }, signal);
    },
    stop: () => store?.close(),
  },
  {
    name: 'jobs',
    async start() {
      worker = store?.jobs.work(renderHandlers(pool, createRenderMetrics(registry, pool)), { concurrency: config.concurrency });
      await worker?.ready();
    },
    stop: () => worker?.close(),
  },
]);
announceReady({ service: 'renderer', instance, admin: admin.address }, log);

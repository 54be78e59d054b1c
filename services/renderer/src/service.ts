import { mediaBounds, defineService, type ConfigOf, type ServiceApp, type ServiceContext } from '@perch/runtime';
import { serviceStore, type Store } from '@perch/store';
import { rendererSettings } from './config.js';
import { renderHandlers } from './handlers.js';
import { createRenderMetrics, measureStorage } from './metrics.js';
import { ApiError } from '@perch/schema';
import { RenderPool } from './render-pool.js';
import { chooseEngine } from './speech/choose-engine.js';

/** Maximum duration of a job, ms; less than a caller waits for its picture. */
const jobMsMax = 6000;
/** On a busy machine uploads get about a third of the processor time of another process: they are slowed, but not starved. */
const uploadNiceness = 5;

function createApp({ config, store, log, metrics, tracing }: ServiceContext<ConfigOf<typeof rendererSettings>, Store>, path: string): ServiceApp {
  const { concurrency, uploadConcurrency, speechConcurrency } = config;
  const onError = (error: Error): void => log.error({ err: error }, 'render process ended or could not be started');
  const scenes = new RenderPool({ processes: concurrency, jobMsMax, onError });
  // A large upload takes a second of processor time; other jobs go first. Many robots never get one: the first starts the processes.
  const uploads = new RenderPool({ processes: uploadConcurrency, jobMsMax, niceness: uploadNiceness, onError });
  const pools = [scenes, uploads];
  const engine = chooseEngine(config, path);
  // Speech takes up to 30 s, longer than this process may take to stop.
  const stopping = new AbortController();
  const onSpeechError = (error: unknown): void => log.warn({ err: error }, 'speech engine failed');
  // Needed after a stop that was cut short.
  process.once('exit', () => pools.forEach((pool) => pool.kill()));
  let worker: ReturnType<Store['jobs']['work']> | undefined;

  return {
    async start() {
      await scenes.start();
      const counted = createRenderMetrics(metrics, pools);
      measureStorage(metrics, store);
      const speech = { engine, stopping: stopping.signal, onError: onSpeechError };
      const handlers = renderHandlers({ pools: { scenes, uploads }, speech, metrics: counted, tracing });
      worker = store.jobs.work(handlers, { scenes: concurrency, uploads: uploadConcurrency, speech: speechConcurrency });
      await worker.ready();
    },
    async stop() {
      const late = setTimeout(() => stopping.abort(new ApiError('speech_failed', 'The renderer is shutting down. Try again.')), jobMsMax);
      await worker?.close();
      clearTimeout(late);
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

export const rendererService = defineService({
  component: 'renderer',
  settings: rendererSettings,
  // Jobs are short and never wait for a person, so PERCH_DRAIN_MS does not apply.
  stopMs: () => jobMsMax + 4000,
  store: serviceStore,
  storeOptions: (config) => ({ mediaBounds: mediaBounds(config) }),
  app: (context) => createApp(context, context.env['PATH'] ?? ''),
});

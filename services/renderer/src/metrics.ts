import { type LabelsOf, type Metrics, scrapeCache } from '@perch/runtime';
import type { RenderPool } from './render-pool.js';
import { memoryOfMasters, renderQueues, type Store } from '@perch/store';

type JobLabels = LabelsOf<'perch_render_jobs_total'>;

export interface RenderMetrics {
  taken(kind: JobLabels['kind'], waitedSeconds: number, way: LabelsOf<'perch_render_taken_total'>['way']): void;
  /** Counts a job that ended. @param seconds null for a job that was dropped, whose duration means nothing */
  done(kind: JobLabels['kind'], outcome: JobLabels['outcome'], seconds: number | null, bytes: number): void;
}

export function createRenderMetrics(metrics: Metrics, pools: readonly Pick<RenderPool, 'size'>[]): RenderMetrics {
  const jobs = metrics.counter('perch_render_jobs_total');
  const duration = metrics.histogram('perch_render_duration_seconds');
  const size = metrics.histogram('perch_render_bytes');
  const taken = metrics.counter('perch_render_taken_total');
  const waited = metrics.histogram('perch_render_wait_seconds');
  metrics.gauge('perch_render_open_jobs', () => pools.reduce((sum, pool) => sum + pool.size, 0));
  return {
    taken(kind, seconds, way) {
      waited.observe({ kind }, seconds);
      taken.inc({ kind, way });
    },
    done(kind, outcome, seconds, bytes) {
      jobs.inc({ kind, outcome });
      if (seconds !== null) duration.observe({ kind }, seconds);
      if (outcome === 'made') size.observe({ kind }, bytes);
    },
  };
}

export function measureStorage(metrics: Metrics, { jobs, media, connections }: Pick<Store, 'jobs' | 'media' | 'connections'>): void {
  const backlog = scrapeCache(() => jobs.backlog());
  metrics.gauge('perch_render_waiting_jobs', async () => {
    const queues = await backlog();
    return queues && renderQueues.map((queue) => [{ queue }, queues[queue].waiting] as const);
  });
  metrics.gauge('perch_render_oldest_waiting_job_seconds', async () => {
    const queues = await backlog();
    // Uses the wall clock, as the gateway that created the job did.
    return queues && renderQueues.map((queue) => [{ queue }, ageS(queues[queue].oldestAt)] as const);
  });
  const usage = scrapeCache(() => media.usageOfAll());
  metrics.gauge('perch_media_bytes', async () => (await usage())?.bytes ?? null);
  metrics.gauge('perch_media_bytes_max', async () => (await usage())?.bytesMax ?? null);
  const memory = scrapeCache(() => memoryOfMasters(connections));
  metrics.gauge('perch_redis_memory_bytes', async () => (await memory())?.map(({ master, bytes }) => [{ master }, bytes] as const) ?? null);
  metrics.gauge(
    'perch_redis_memory_bytes_max',
    async () => (await memory())?.flatMap(({ master, bytesMax }) => (bytesMax === null ? [] : [[{ master }, bytesMax] as const])) ?? null,
  );
  metrics.gauge(
    'perch_redis_evicted_keys',
    async () => (await memory())?.flatMap(({ master, evictedKeys }) => (evictedKeys === null ? [] : [[{ master }, evictedKeys] as const])) ?? null,
  );
}

function ageS(at: number | null): number {
  return at === null ? 0 : Math.max(0, Date.now() - at) / 1000;
}

import { scrapeCache, type Metrics } from '@perch/runtime';
import { memoryOfMasters, renderQueues, type Store } from '@perch/store';

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

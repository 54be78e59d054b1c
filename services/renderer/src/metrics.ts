import type { LabelsOf, Metrics } from '@perch/runtime';
import type { RenderPool } from './render-pool.js';

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

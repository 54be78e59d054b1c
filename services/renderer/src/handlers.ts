/** What the job queue calls: hands a job to a process, counts how it went. */
import { ApiError, type RenderJob } from '@perch/schema';
import type { Scene } from '@perch/screen';
import type { MadeMedia, RenderHandlers } from '@perch/store';
import type { RenderMetrics } from './metrics.js';
import type { RenderPool } from './render-pool.js';

export function renderHandlers(pool: Pick<RenderPool, 'render'>, metrics: RenderMetrics): RenderHandlers {
  const render = async (job: RenderJob, uploads?: ReadonlyMap<string, Buffer>): Promise<MadeMedia> => {
    const began = performance.now();
    const secondsSince = (): number => (performance.now() - began) / 1000;
    try {
      // Scenes are made by @perch/screen alone; the queue does not know their type.
      const made = await pool.render(job as RenderJob<Scene>, uploads);
      metrics.done(job.kind, 'made', secondsSince(), made.data.length);
      return made;
    } catch (error) {
      metrics.done(job.kind, error instanceof ApiError && error.code === 'bad_picture' ? 'bad_picture' : 'failed', secondsSince(), 0);
      throw error;
    }
  };
  return { draw: render, sound: (job) => render(job) };
}

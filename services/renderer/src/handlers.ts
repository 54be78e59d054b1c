/** Handlers of the job queue: pass a job to the processes of its queue and count its outcome. */
import type { Tracing } from '@perch/runtime';
import { ApiError, type RenderJob } from '@perch/schema';
import type { Scene } from '@perch/screen';
import type { MadeMedia, RenderHandlers, RenderQueue } from '@perch/store';
import type { RenderMetrics } from './metrics.js';
import type { RenderPool } from './render-pool.js';

export type RenderPools = Record<RenderQueue, Pick<RenderPool, 'render'>>;

export function renderHandlers(pools: RenderPools, metrics: RenderMetrics, tracing: Tracing | null = null): RenderHandlers {
  const render = async (job: RenderJob, uploads: ReadonlyMap<string, Buffer>, signal: AbortSignal): Promise<MadeMedia> => {
    const pool = uploads.size > 0 ? pools.uploads : pools.scenes;
    const began = performance.now();
    const secondsSince = (): number => (performance.now() - began) / 1000;
    const span = job.trace === undefined ? null : (tracing?.resume(`render ${job.kind}`, job.trace, { kind: 'consumer' }) ?? null);
    try {
      // All scenes are made by @perch/screen; the queue does not know their type.
      const made = await pool.render(job as RenderJob<Scene>, uploads, signal);
      metrics.done(job.kind, 'made', secondsSince(), made.data.length);
      if (span === null) return made;
      span.set({ 'perch.media.bytes': made.data.length, 'perch.uploads': uploads.size });
      return { ...made, trace: span.carried };
    } catch (error) {
      span?.fail(signal.aborted ? 'dropped' : error instanceof ApiError ? error.code : 'render_failed');
      // Already counted by `dropped`.
      if (signal.aborted) throw error;
      metrics.done(job.kind, error instanceof ApiError && error.code === 'bad_picture' ? 'bad_picture' : 'failed', secondsSince(), 0);
      throw error;
    } finally {
      span?.end();
    }
  };
  return {
    draw: render,
    sound: (job, signal) => render(job, new Map(), signal),
    taken: (job, waitedMs) => metrics.taken(job.kind, waitedMs / 1000),
    dropped: (job) => metrics.done(job.kind, 'dropped', null, 0),
  };
}

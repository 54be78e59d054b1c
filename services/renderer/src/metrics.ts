/** The renderer's metrics. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { renderQueues, type RenderQueue } from '@perch/store';
import type { RenderPool } from './render-pool.js';

export const kinds = ['draw', 'sound'] as const;
export const outcomes = ['made', 'bad_picture', 'failed', 'dropped'] as const;

export interface RenderMetrics {
  /** @param seconds null for a job that was dropped, whose duration means nothing */
  done(kind: (typeof kinds)[number], outcome: (typeof outcomes)[number], seconds: number | null, bytes: number): void;
}

interface Gauged {
  pools: readonly Pick<RenderPool, 'size'>[];
  /** Jobs of all instances that wait for a renderer. @throws when Redis does not answer */
  waiting(this: void): Promise<Record<RenderQueue, number>>;
}

export function createRenderMetrics(registry: Registry, { pools, waiting }: Gauged): RenderMetrics {
  const registers = [registry];
  const jobs = new Counter({
    name: 'perch_render_jobs_total',
    help: 'Pictures and sounds the renderer was asked for, by outcome; dropped: no caller waited for it any longer.',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const duration = new Histogram({
    name: 'perch_render_duration_seconds',
    help: 'From taking a job to having its picture or sound.',
    labelNames: ['kind'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const size = new Histogram({
    name: 'perch_render_bytes',
    help: 'Size of what was made.',
    labelNames: ['kind'],
    buckets: [1e3, 4e3, 16e3, 32e3, 64e3, 98_304, 256e3, 1e6, 2e6],
    registers,
  });
  new Gauge({
    name: 'perch_render_open_jobs',
    help: 'Jobs under way or waiting for a free process.',
    registers,
    collect() {
      this.set(pools.reduce((sum, pool) => sum + pool.size, 0));
    },
  });
  new Gauge({
    name: 'perch_render_waiting_jobs',
    help: 'Jobs that no renderer has taken yet, of all instances, by queue: scenes (and sounds), uploads (pictures that contain uploads).',
    labelNames: ['queue'],
    registers,
    async collect() {
      const counts = await waiting().catch(() => null);
      if (counts === null) this.reset();
      else for (const queue of renderQueues) this.set({ queue }, counts[queue]);
    },
  });
  for (const kind of kinds) for (const outcome of outcomes) jobs.inc({ kind, outcome }, 0);
  return {
    done(kind, outcome, seconds, bytes) {
      jobs.inc({ kind, outcome });
      if (seconds !== null) duration.observe({ kind }, seconds);
      if (outcome === 'made') size.observe({ kind }, bytes);
    },
  };
}

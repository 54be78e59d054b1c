/** What the renderer counts. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RenderPool } from './render-pool.js';

export const kinds = ['draw', 'sound'] as const;
export const outcomes = ['made', 'bad_picture', 'failed'] as const;

export interface RenderMetrics {
  done(kind: (typeof kinds)[number], outcome: (typeof outcomes)[number], seconds: number, bytes: number): void;
}

export function createRenderMetrics(registry: Registry, pool: Pick<RenderPool, 'size'>): RenderMetrics {
  const registers = [registry];
  const jobs = new Counter({
    name: 'perch_render_jobs_total',
    help: 'Pictures and sounds the renderer was asked for, by how it went.',
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
      this.set(pool.size);
    },
  });
  for (const kind of kinds) for (const outcome of outcomes) jobs.inc({ kind, outcome }, 0);
  return {
    done(kind, outcome, seconds, bytes) {
      jobs.inc({ kind, outcome });
      duration.observe({ kind }, seconds);
      if (outcome === 'made') size.observe({ kind }, bytes);
    },
  };
}

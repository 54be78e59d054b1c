/** The metrics of renderers. */
import type { MetricRows } from './metric-row.js';

const kind = ['draw', 'sound'] as const;
const queue = ['scenes', 'uploads'] as const;

export const rendererMetrics = {
  perch_render_jobs_total: {
    type: 'counter',
    labels: { kind, outcome: ['made', 'bad_picture', 'failed', 'dropped'] },
    help: 'Pictures and sounds that the renderer was asked for, by outcome. dropped: no caller waited for it any longer.',
  },
  perch_render_duration_seconds: {
    type: 'histogram',
    labels: { kind },
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    help: 'Time from taking a job to having its picture or sound.',
  },
  perch_render_bytes: {
    type: 'histogram',
    labels: { kind },
    buckets: [1e3, 4e3, 16e3, 32e3, 64e3, 98_304, 256e3, 1e6, 2e6],
    help: 'Size of the pictures and sounds that were made.',
  },
  perch_render_wait_seconds: {
    type: 'histogram',
    labels: { kind },
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    help: 'Time from the call that asked for a picture or sound to a renderer taking the job. Includes the difference between the clocks of the two machines.',
  },
  perch_render_open_jobs: { type: 'gauge', labels: {}, help: 'Jobs that this instance works on, or that wait in it for a free process.' },
  perch_render_waiting_jobs: {
    type: 'gauge',
    labels: { queue },
    help: 'Jobs that no renderer has taken yet, of all instances, by queue: scenes (and sounds), and uploads (pictures that contain uploads).',
  },
  perch_render_oldest_waiting_job_seconds: {
    type: 'gauge',
    labels: { queue },
    help: 'Age of the oldest job that no renderer has taken yet, of all instances, by queue; 0 if none waits.',
  },
  perch_media_bytes: { type: 'gauge', labels: {}, help: 'Pictures and sounds of all accounts that Redis keeps.' },
  perch_media_bytes_max: { type: 'gauge', labels: {}, help: 'Maximum of perch_media_bytes (PERCH_MEDIA_MB, on all masters together).' },
  perch_redis_memory_bytes: { type: 'gauge', labels: { master: null }, help: 'Memory used by each Redis master (used_memory), by its address.' },
  perch_redis_memory_bytes_max: {
    type: 'gauge',
    labels: { master: null },
    help: 'Memory limit of each Redis master (maxmemory), by its address. Missing for a master without a limit.',
  },
} as const satisfies MetricRows;

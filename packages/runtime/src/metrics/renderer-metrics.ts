import type { MetricRows } from './metric-row.js';

const kind = ['draw', 'sound', 'speech'] as const;
const queue = ['scenes', 'uploads', 'speech'] as const;

export const rendererMetrics = {
  perch_render_jobs_total: {
    type: 'counter',
    labels: { kind, outcome: ['made', 'bad_picture', 'failed', 'dropped'] },
    help: 'Render jobs for pictures, sounds and speech, by outcome. dropped: no caller waited for the job any longer.',
  },
  perch_render_duration_seconds: {
    type: 'histogram',
    labels: { kind },
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    help: 'Time from taking a job to its finished picture or sound.',
  },
  perch_render_bytes: {
    type: 'histogram',
    labels: { kind },
    buckets: [1e3, 4e3, 16e3, 32e3, 64e3, 98_304, 256e3, 1e6, 2e6],
    help: 'Size of the rendered pictures and sounds.',
  },
  perch_render_wait_seconds: {
    type: 'histogram',
    labels: { kind },
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    help: 'Time from the request for a picture or sound until a renderer takes the job. Includes the difference between the clocks of the two machines.',
  },
  perch_render_taken_total: {
    type: 'counter',
    labels: { kind, way: ['direct', 'queue'] },
    help: 'Renders that this instance has taken, by way. direct: sent by a gateway to a free place, past the queue.',
  },
  perch_render_open_jobs: {
    type: 'gauge',
    labels: {},
    help: 'Jobs that this instance has taken: being rendered, or waiting for a free render process.',
  },
  perch_render_waiting_jobs: {
    type: 'gauge',
    labels: { queue },
    help: 'Queued jobs of all instances that no renderer has taken yet, by queue: scenes (and sounds), uploads (pictures that contain uploads), and speech.',
  },
  perch_render_oldest_waiting_job_seconds: {
    type: 'gauge',
    labels: { queue },
    help: 'Age of the oldest queued job of all instances that no renderer has taken yet, by queue; 0 if the queue is empty.',
  },
  perch_media_bytes: { type: 'gauge', labels: {}, help: 'Size of the pictures and sounds of all accounts in Redis.' },
  perch_media_bytes_max: { type: 'gauge', labels: {}, help: 'Maximum of perch_media_bytes (PERCH_MEDIA_MB, on all masters together).' },
  perch_redis_memory_bytes: { type: 'gauge', labels: { master: null }, help: 'Memory used by each Redis master (used_memory), by its address.' },
  perch_redis_memory_bytes_max: {
    type: 'gauge',
    labels: { master: null },
    help: 'Memory limit of each Redis master (maxmemory), by its address. Missing for a master without a limit.',
  },
  perch_redis_evicted_keys: {
    type: 'gauge',
    labels: { master: null },
    help: 'Keys that each Redis master has evicted since it was started, by its address. Each increase is lost data. Missing where Redis does not report it.',
  },
} as const satisfies MetricRows;

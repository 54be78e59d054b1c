import assert from 'node:assert/strict';
import { ApiError } from '@perch/schema';
import type { MadeMedia } from '@perch/store';
import { Registry } from 'prom-client';
import { BadPicture } from '@perch/schema';
import { renderHandlers } from '../src/handlers.js';
import { createRenderMetrics } from '../src/metrics.js';
import { card } from './jobs.js';

const made: MadeMedia = { kind: 'picture', format: 'png', w: 320, h: 240, data: Buffer.alloc(5000) };

async function counted(render: () => Promise<MadeMedia>): Promise<Record<string, number>> {
  const registry = new Registry();
  const handlers = renderHandlers({ render }, createRenderMetrics(registry, { size: 0 }));
  await handlers.draw(card, new Map()).catch(() => undefined);
  const [jobs, duration, bytes] = await registry.getMetricsAsJSON();
  const count = { durations: 0, sizes: 0 } as Record<string, number>;
  for (const value of jobs?.values ?? []) if (value.labels['kind'] === 'draw') count[String(value.labels['outcome'])] = value.value;
  for (const value of duration?.values ?? [])
    if ('metricName' in value && value.metricName === 'perch_render_duration_seconds_count') count['durations'] = value.value;
  for (const value of bytes?.values ?? []) if ('metricName' in value && value.metricName === 'perch_render_bytes_sum') count['sizes'] = value.value;
  return count;
}

describe('renderHandlers', () => {
  it('counts what was made with its size', async () => {
    assert.deepEqual(await counted(() => Promise.resolve(made)), { made: 1, bad_picture: 0, failed: 0, durations: 1, sizes: 5000 });
  });

  it('tells the pictures of users that cannot be drawn from failures of our own', async () => {
    assert.deepEqual(await counted(() => Promise.reject(new BadPicture('x', 'no'))), { made: 0, bad_picture: 1, failed: 0, durations: 1, sizes: 0 });
    assert.deepEqual(await counted(() => Promise.reject(new ApiError('render_failed', 'no'))), {
      made: 0,
      bad_picture: 0,
      failed: 1,
      durations: 1,
      sizes: 0,
    });
    assert.deepEqual(await counted(() => Promise.reject(new Error('no'))), { made: 0, bad_picture: 0, failed: 1, durations: 1, sizes: 0 });
  });

  it('passes errors on as they are', async () => {
    const error = new BadPicture('x', 'no');
    const handlers = renderHandlers({ render: () => Promise.reject(error) }, createRenderMetrics(new Registry(), { size: 0 }));
    await assert.rejects(handlers.draw(card, new Map()), error);
  });
});

import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { ApiError, type DrawJob } from '@perch/schema';
import type { Scene } from '@perch/screen';
import { openStore, renderHash, type Store } from '@perch/store';
import { redisUrl, until } from '@perch/testkit';
import { loadImage } from 'canvas';
import { brokenPng, card, pictureJob, uploadsOf } from './jobs.js';
import { halves } from './pictures.js';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface Ready {
  ready: true;
  service: string;
  admin: string;
}

function fresh(job: DrawJob<Scene>): DrawJob<Scene> {
  const own = { ...job, account: `a-${randomBytes(5).toString('hex')}` };
  return { ...own, hash: renderHash(own) };
}

describe('the renderer', () => {
  let store: Store;
  let renderer: ChildProcess;
  let ready: Ready;

  before(async () => {
    const url = await redisUrl();
    store = await openStore({ url, instance: 'gw-000000' });
    renderer = fork(main, { env: { PATH: '', PERCH_REDIS_URL: url, PERCH_LOG_LEVEL: 'error', PERCH_RENDER_CONCURRENCY: '1' } });
    [ready] = (await once(renderer, 'message')) as [Ready];
  });

  after(async () => {
    if (renderer.exitCode === null) renderer.kill('SIGKILL');
    await store.close();
  });

  it('announces when it is ready', async () => {
    assert.equal(ready.service, 'renderer');
    assert.equal((await fetch(`${ready.admin}/readyz`)).status, 200);
  });

  it("draws the picture of a gateway's job, with size, length and checksum of the bytes in Redis", async () => {
    const ref = await store.renders.obtain(fresh(card), { ttlMs: 10_000 });
    const bytes = await store.media.read(ref);
    assert.ok(bytes && ref.kind === 'picture');
    assert.deepEqual([ref.w, ref.h, ref.bytes, ref.crc32], [320, 240, bytes.length, crc32(bytes)]);
    assert.equal((await loadImage(bytes)).width, 320);
  });

  it('draws uploaded pictures, and answers bad_picture for invalid ones', async () => {
    const good = halves(500, 500).toBuffer('image/jpeg');
    assert.equal((await store.renders.obtain(fresh(pictureJob(good)), { ttlMs: 10_000, uploads: uploadsOf(good) })).kind, 'picture');
    await assert.rejects(store.renders.obtain(fresh(pictureJob(brokenPng)), { ttlMs: 10_000, uploads: uploadsOf(brokenPng) }), (error) => {
      return error instanceof ApiError && error.code === 'bad_picture' && error.message.startsWith('The picture');
    });
  });

  it('counts its jobs', async () => {
    const text = await until(async () => {
      const metrics = await (await fetch(`${ready.admin}/metrics`)).text();
      return metrics.includes('outcome="bad_picture"} 1') ? metrics : '';
    });
    assert.match(text, /perch_render_jobs_total\{kind="draw",outcome="made"\} 2/);
    assert.match(text, /perch_render_wait_seconds_count\{.*kind="draw".*\} 3/);
    assert.match(text, /perch_render_duration_seconds_count\{.*kind="draw".*\} 3/);
  });

  it('ends cleanly on a signal, and leaves no process behind', async () => {
    renderer.kill('SIGTERM');
    const [code] = (await once(renderer, 'exit')) as [number | null];
    assert.equal(code, 0);
  });
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { until } from '@perch/testkit';
import { newId, sha256 } from '../src/redis/ids.js';
import { accountKeys } from '../src/redis/keys.js';
import { drawJob, RenderSystem, ttlMs, type RenderInstance } from './render-system.js';

describe('renders with uploads', () => {
  let system: RenderSystem;
  let gateway: RenderInstance;

  before(async () => {
    system = await RenderSystem.open();
    ({ gateway } = system);
  });
  beforeEach(() => system.reset());
  after(() => system.close());

  it('passes the uploads to the renderer, and deletes them after the render', async () => {
    const data = randomBytes(1000);
    const sha = sha256(data);
    const job = drawJob({ uploads: [sha] });
    const ref = await gateway.renders.obtain(job, { ttlMs, uploads: new Map([[sha, data]]) });
    assert.ok((await gateway.media.read(ref))!.includes(data));
    await until(async () => (await gateway.uploads.take(job, sha)) === null);
    await until(async () => Number(await gateway.redis.commands.hget(accountKeys.quotaBytes(job.account), 'total')) < 1000 + 2048, {
      what: 'the upload to leave the quota',
    });
  });

  it('does not store an upload for a picture that exists', async () => {
    const data = randomBytes(1000);
    const sha = sha256(data);
    const job = drawJob({ uploads: [sha] });
    const made = await gateway.media.put(job.account, job.hash, { kind: 'picture', format: 'png', w: 1, h: 1, data });
    assert.deepEqual(await gateway.renders.obtain(job, { ttlMs, uploads: new Map([[sha, data]]) }), made);
    assert.equal(await gateway.uploads.take(job, sha), null);
    assert.deepEqual(system.drawn, []);
  });

  it('keeps an upload while another render needs it', async () => {
    const data = randomBytes(1000);
    const sha = sha256(data);
    const account = newId('a');
    const jobs = Array.from({ length: 10 }, () => drawJob({ account, uploads: [sha] }));
    const refs = await Promise.all(jobs.map((job) => gateway.renders.obtain(job, { ttlMs, uploads: new Map([[sha, data]]) })));
    for (const ref of refs) assert.ok((await gateway.media.read(ref))!.includes(data));
    assert.equal(system.drawn.length, 10);
  });

  it('stores an upload again that had expired before its job was taken', async () => {
    const data = randomBytes(1000);
    const sha = sha256(data);
    const job = drawJob({ uploads: [sha] });
    const want = { job, pixels: 1, flight: 'another-gateway' };
    await gateway.jobs.request(job, (await gateway.jobs.want(want)).priority);
    await until(async () => (await gateway.media.findResult(job.account, job.hash, ttlMs)).failure !== null);
    const ref = await gateway.renders.obtain(job, { ttlMs, uploads: new Map([[sha, data]]) });
    assert.ok((await gateway.media.read(ref))!.includes(data));
  });

  it('answers storage_full when the account has reached its quota, in gateway or renderer', async () => {
    const account = newId('a');
    const quota = [accountKeys.quota(account), accountKeys.quotaBytes(account)] as const;
    await gateway.redis.script('quotaReserve', quota, ['filler', 32 * 2 ** 20 - 3000, 60_000, 32 * 2 ** 20]);
    const data = randomBytes(5000);
    const sha = sha256(data);
    await assert.rejects(gateway.renders.obtain(drawJob({ account, uploads: [sha] }), { ttlMs, uploads: new Map([[sha, data]]) }), {
      code: 'storage_full',
    });
    assert.deepEqual(system.drawn, []);
    await assert.rejects(gateway.renders.obtain(drawJob({ account, scene: 'x'.repeat(5000) }), { ttlMs }), { code: 'storage_full' });
    assert.equal(system.drawn.length, 1);
  });

  it('fails a render whose upload is missing', async () => {
    await assert.rejects(gateway.renders.obtain(drawJob({ uploads: [sha256('nowhere')] }), { ttlMs }), { code: 'render_failed' });
    assert.deepEqual(system.drawn, []);
  });
});

import assert from 'node:assert/strict';
import type { DrawJob, RenderJob } from '@perch/schema';
import { until } from '@perch/testkit';
import { accountKeys, sharedKeys } from '../src/redis/keys.js';
import { renderHash } from '../src/media/renders.js';
import { drawJob, openRenderInstance, RenderSystem, soundJob, ttlMs, type RenderInstance } from './render-system.js';

describe('renders', () => {
  let system: RenderSystem;
  let gateway: RenderInstance;
  let other: RenderInstance;

  before(async () => {
    system = await RenderSystem.open();
    ({ gateway, other } = system);
  });
  beforeEach(() => system.reset());
  after(() => system.close());

  it('renders a picture and a sound once, and returns them again without a job', async () => {
    for (const job of [drawJob(), soundJob()] as RenderJob[]) {
      const ref = await gateway.renders.obtain(job, { ttlMs });
      assert.deepEqual([ref.kind, ref.account, ref.hash], [job.kind === 'draw' ? 'picture' : 'sound', job.account, job.hash]);
      assert.equal((await gateway.media.read(ref))?.length, ref.bytes);
      assert.deepEqual(await other.renders.obtain(job, { ttlMs }), ref);
    }
    assert.equal(system.drawn.length, 2);
  });

  it('creates one job for 64 equal concurrent requests on two instances', async () => {
    const job = drawJob();
    const refs = await Promise.all(Array.from({ length: 64 }, (_, i) => (i % 2 ? gateway : other).renders.obtain(job, { ttlMs })));
    assert.deepEqual(system.drawn, [job.hash]);
    for (const ref of refs) assert.deepEqual(ref, refs[0]);
    assert.equal(gateway.redis.subscriber.size + other.redis.subscriber.size, 0);
  });

  it('reports for each render how long it waited until a worker took it', async () => {
    const waits = new Map<string, number>();
    system.handle.taken = ({ hash }, waitedMs) => void waits.set(hash, waitedMs);
    const good = system.handle.draw;
    const busy = [drawJob(), drawJob()];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    system.handle.draw = async (job, ...given) => {
      if (busy.some(({ hash }) => hash === job.hash)) await held;
      return good(job, ...given);
    };
    const first = busy.map((job) => gateway.renders.obtain(job, { ttlMs }));
    await until(() => system.drawn.length === 2);
    const last = drawJob();
    const waiting = gateway.renders.obtain(last, { ttlMs });
    await until(async () => (await gateway.jobs.waiting()).scenes === 1);
    const began = Date.now();
    await until(() => Date.now() - began >= 200);
    release();
    await Promise.all([...first, waiting]);
    assert.ok(waits.get(last.hash)! >= 200, `${waits.get(last.hash)} ms`);
    assert.ok(busy.every(({ hash }) => waits.has(hash)));
  });

  it('renders different concurrent requests once each', async () => {
    const jobs = Array.from({ length: 20 }, () => drawJob());
    const refs = await Promise.all(jobs.map((job) => gateway.renders.obtain(job, { ttlMs })));
    assert.deepEqual(system.drawn.toSorted(), jobs.map(({ hash }) => hash).toSorted());
    assert.deepEqual(
      refs.map(({ hash }) => hash),
      jobs.map(({ hash }) => hash),
    );
  });

  it('renders many concurrent first requests of an instance among its other commands', async () => {
    for (let round = 0; round < 10; round += 1) {
      const fresh = await openRenderInstance();
      try {
        const rendered = new AbortController();
        const traffic = (async () => {
          while (!rendered.signal.aborted) {
            const numbers = Array.from({ length: 20 }, (_, i) => String(i));
            assert.deepEqual(await Promise.all(numbers.map((number) => fresh.redis.commands.ping(number))), numbers, 'each answer goes to who asked');
          }
        })();
        const refs = await Promise.all(Array.from({ length: 8 }, () => fresh.renders.obtain(drawJob(), { ttlMs }))).finally(() => rendered.abort());
        await traffic;
        assert.equal(refs.length, 8);
      } finally {
        await fresh.close();
      }
    }
  });

  it('extends the life of a found render as long as each caller needs it', async () => {
    const job = drawJob();
    await Promise.all([gateway.renders.obtain(job, { ttlMs: 1000 }), gateway.renders.obtain(job, { ttlMs: 170_000 })]);
    assert.ok((await gateway.redis.commands.pttl(accountKeys.mediaData(job.account, job.hash))) > 169_000);
  });

  it('ends the wait of a caller that closed its connection, and continues for the others', async () => {
    let finish = () => {};
    const draw = system.handle.draw;
    system.handle.draw = async (...given) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return draw(...given);
    };
    const job = drawJob();
    const gone = new AbortController();
    const first = gateway.renders.obtain(job, { ttlMs, signal: gone.signal });
    const second = gateway.renders.obtain(job, { ttlMs, signal: new AbortController().signal });
    await until(() => system.drawn.length === 1);
    gone.abort(new Error('hung up'));
    await assert.rejects(first, { message: 'hung up' });
    finish();
    assert.equal((await second).hash, job.hash);
    await assert.rejects(gateway.renders.obtain(drawJob(), { ttlMs, signal: AbortSignal.abort(new Error('before')) }), { message: 'before' });
  });

  it('leaves no subscription when all callers have closed their connections', async () => {
    let finish = () => {};
    const draw = system.handle.draw;
    system.handle.draw = async (...given) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return draw(...given);
    };
    const job = drawJob();
    const gone = new AbortController();
    const only = gateway.renders.obtain(job, { ttlMs, signal: gone.signal });
    await until(() => system.drawn.length === 1);
    gone.abort();
    await assert.rejects(only);
    await until(() => gateway.redis.subscriber.size === 0);
    finish();
  });

  it('leaves only the bounded event stream in the queue', async () => {
    for (let i = 0; i < 10; i += 1) await Promise.all(Array.from({ length: 20 }, () => gateway.renders.obtain(drawJob(), { ttlMs })));
    const name = (type: string) => `${sharedKeys.jobs(0)}:render:${type}`;
    const { commands } = gateway.redis;
    await until(async () => (await commands.llen(name('active'))) === 0);
    for (const list of ['wait', 'active', 'paused']) assert.equal(await commands.llen(name(list)), 0);
    for (const set of ['completed', 'failed', 'delayed']) assert.equal(await commands.zcard(name(set)), 0);
    // BullMQ trims to about 100 entries, in whole nodes of the stream.
    assert.ok((await commands.xlen(name('events'))) < 300, String(await commands.xlen(name('events'))));
  });

  it('hashes all inputs of a render in any order of the fields, without the account', () => {
    const job = { kind: 'draw', account: 'a-1', scene: { a: 1, b: [{ x: 1, y: 2 }] }, uploads: [], formats: ['png'], bytesMax: 10 } as Omit<
      DrawJob,
      'hash'
    >;
    const same = { bytesMax: 10, formats: ['png'], uploads: [], scene: { b: [{ y: 2, x: 1 }], a: 1 }, account: 'a-2', kind: 'draw' } as Omit<
      DrawJob,
      'hash'
    >;
    assert.match(renderHash(job), /^[0-9a-f]{64}$/);
    assert.equal(renderHash(job), renderHash(same));
    assert.equal(renderHash(job), renderHash({ ...job, hash: 'x' } as DrawJob));
    for (const change of [
      { scene: { a: 2, b: [{ x: 1, y: 2 }] } },
      { scene: { a: 1, b: [{ x: 2, y: 1 }] } },
      { uploads: ['s'] },
      { formats: ['jpeg'] },
      { bytesMax: 11 },
    ]) {
      assert.notEqual(renderHash({ ...job, ...change } as Omit<DrawJob, 'hash'>), renderHash(job));
    }
  });
});

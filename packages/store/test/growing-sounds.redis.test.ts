import { until } from '@perch/testkit';
import { ApiError, type SpeechJob } from '@perch/schema';
import assert from 'node:assert/strict';
import { newId } from '../src/redis/ids.js';
import { renderHash } from '../src/media/renders.js';
import { RenderSystem, ttlMs } from './render-system.js';

function speechJob(): SpeechJob {
  const job = { kind: 'speech', account: newId('a'), text: newId('a'), rate: 16_000 } as const;
  return { ...job, hash: renderHash(job) };
}

describe('growing sounds', () => {
  let system: RenderSystem;
  before(async () => {
    system = await RenderSystem.open();
  });
  beforeEach(() => system.reset());
  after(() => system.close());

  const sound = (job: SpeechJob, data: Buffer) => ({ kind: 'sound', format: 'pcm_s16le', rate: job.rate, data }) as const;

  it('growing sounds are returned as soon as they begin, and read while they grow', async () => {
    const job = speechJob();
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    system.handle.speech = async (_job, take) => {
      await take.append(Buffer.from('abcd'));
      await finished;
      await take.append(Buffer.from('efgh'));
      return sound(job, Buffer.from('abcdefgh'));
    };
    const [ref, same] = await Promise.all([system.gateway, system.other].map(({ renders }) => renders.obtain(job, { ttlMs, takesGrowing: true })));
    assert.ok(ref!.kind === 'sound' && ref!.growing === true);
    assert.deepEqual(same, ref);
    const { growing } = system.other;
    assert.deepEqual(await growing.read(ref!, 0, 100), { bytes: Buffer.from('abcd'), ended: false });
    assert.deepEqual(await growing.read(ref!, 2, 100), { bytes: Buffer.from('cd'), ended: false });
    assert.deepEqual(await growing.read(ref!, 4, 100), { bytes: Buffer.alloc(0), ended: false });
    // The callers have left; the speech goes on for the robot that plays it.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    finish();
    await until(async () => (await growing.read(ref!, 4, 100))?.ended === true);
    assert.deepEqual(await growing.read(ref!, 4, 100), { bytes: Buffer.from('efgh'), ended: true });
    assert.deepEqual(await growing.read(ref!, 0, 4), { bytes: Buffer.from('abcd'), ended: false }, 'more follows');
    await until(async () => (await system.gateway.media.find(job.account, job.hash, ttlMs)) !== null);
    const whole = await system.gateway.renders.obtain(job, { ttlMs, takesGrowing: true });
    assert.ok(whole.kind === 'sound' && whole.growing === undefined && whole.bytes === 8);
    assert.equal(await growing.find(job.account, job.hash), null);
  });

  it('a caller that needs the whole sound waits for the end of a growing one', async () => {
    const job = speechJob();
    system.handle.speech = async (_job, take) => {
      await take.append(Buffer.from('ab'));
      await new Promise((resolve) => setTimeout(resolve, 300));
      return sound(job, Buffer.from('abcd'));
    };
    const ref = await system.gateway.renders.obtain(job, { ttlMs });
    assert.deepEqual([ref.bytes, (ref as { growing?: true }).growing], [4, undefined]);
    assert.deepEqual(await system.gateway.media.read(ref), Buffer.from('abcd'));
  });

  it('readers no longer find a sound that failed, and callers that wait for the whole get the failure with its argument', async () => {
    const job = speechJob();
    let fail = (): void => undefined;
    const failed = new Promise<void>((_, reject) => (fail = () => reject(new ApiError('bad_argument', 'voice: none', { field: 'voice' }))));
    failed.catch(() => {});
    system.handle.speech = async (_job, take) => {
      await take.append(Buffer.from('ab'));
      await failed;
      return sound(job, Buffer.alloc(0));
    };
    const whole = system.other.renders.obtain(job, { ttlMs });
    whole.catch(() => {});
    const ref = await system.gateway.renders.obtain(job, { ttlMs, takesGrowing: true });
    fail();
    await until(async () => (await system.gateway.growing.read(ref, 0, 10)) === null);
    await assert.rejects(whole, (error: ApiError) => error.code === 'bad_argument' && error.field === 'voice');
    assert.equal(await system.gateway.growing.find(job.account, job.hash), null);
  });

  it('a growing sound expires within seconds after its renderer died, and the next attempt is a sound of its own', async () => {
    const job = speechJob();
    const { growing } = system.renderer;
    const [dead, next] = [growing.take(job.account, job.hash, 16_000), growing.take(job.account, job.hash, 16_000)];
    await dead.append(Buffer.from('ab'));
    const first = (await growing.find(job.account, job.hash))!;
    await next.append(Buffer.from('cd'));
    const second = (await growing.find(job.account, job.hash))!;
    assert.notEqual(first.hash, second.hash);
    // As after 5 s without its renderer.
    await system.renderer.redis.commands.del(`perch:{${job.account}}:media:${first.hash}:take`, `perch:{${job.account}}:media:${first.hash}:data`);
    assert.equal(await growing.read(first, 0, 10), null);
    await assert.rejects(dead.append(Buffer.from('ef')));
    assert.deepEqual(await growing.read(second, 0, 10), { bytes: Buffer.from('cd'), ended: false });
    const ttl = await system.renderer.redis.commands.pttl(`perch:{${job.account}}:media:${second.hash}:data`);
    assert.ok(ttl > 3000 && ttl <= 5000, `${ttl} ms`);
    await dead.fail().catch(() => {});
    await next.end();
    assert.deepEqual(await growing.read(second, 0, 10), { bytes: Buffer.from('cd'), ended: true });
  });

  it('a growing sound stops renewing itself if it fails while its first part is being stored', async () => {
    const job = speechJob();
    const { setInterval: original, clearInterval: originalClear } = globalThis;
    const open = new Set<NodeJS.Timeout>();
    let set = 0;
    globalThis.setInterval = ((...args: Parameters<typeof original>) => {
      const timer = original(...args);
      open.add(timer);
      set += 1;
      return timer;
    }) as typeof original;
    globalThis.clearInterval = (timer) => {
      open.delete(timer as NodeJS.Timeout);
      originalClear(timer);
    };
    try {
      const take = system.renderer.growing.take(job.account, job.hash, 16_000);
      await Promise.all([take.append(Buffer.from('ab')), take.fail()]);
    } finally {
      globalThis.setInterval = original;
      globalThis.clearInterval = originalClear;
    }
    assert.deepEqual([set, open.size], [1, 0]);
  });
});

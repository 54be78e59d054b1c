import assert from 'node:assert/strict';
import { Worker } from 'bullmq';
import { ApiError } from '@perch/schema';
import { until } from '@perch/testkit';
import { StoreError } from '../src/redis/errors.js';
import { accountKeys, sharedKeys } from '../src/redis/keys.js';
import { keysOf } from './fixtures.js';
import { drawJob, RenderSystem, ttlMs, type RenderInstance } from './render-system.js';

for (const isDirect of [true, false])
  describe(`failed renders (${isDirect ? 'sent to a renderer' : 'from the queue'})`, () => {
    let system: RenderSystem;
    let gateway: RenderInstance;
    let other: RenderInstance;
    let renderer: RenderInstance;

    before(async () => {
      system = await RenderSystem.open({ isDirect });
      ({ gateway, other, renderer } = system);
    });
    beforeEach(() => system.reset());
    after(() => system.close());

    if (isDirect)
      it('does not fail a render because of a paused renderer whose claim had expired: the render is queued', async () => {
        const good = system.handle.draw;
        let tries = 0;
        system.handle.draw = async (...given) => {
          if (++tries > 1) return good(...given);
          const claims = await keysOf(renderer.redis, 'perch:{jobs}:render-claim:*');
          assert.equal(claims.length, 1);
          await renderer.redis.commands.del(...claims);
          throw new Error('stopped for too long');
        };
        const job = drawJob();
        const ref = await gateway.renders.obtain(job, { ttlMs });
        assert.deepEqual([ref.hash, tries, system.ways], [job.hash, 2, ['direct', 'queue']]);
      });

    if (!isDirect)
      it('does not fail a render because of a paused worker that had lost the job: another worker renders it', async () => {
        const good = system.handle.draw;
        let tries = 0;
        system.handle.draw = async (...given) => {
          if (++tries > 1) return good(...given);
          const { commands } = renderer.redis;
          const locks = await keysOf(renderer.redis, `${sharedKeys.jobs(0)}:render:*:lock`);
          assert.equal(locks.length, 1);
          await commands.del(...locks);
          throw new Error('stopped for too long');
        };
        const job = drawJob();
        const ref = await gateway.renders.obtain(job, { ttlMs });
        assert.deepEqual([ref.hash, tries], [job.hash, 2]);
      });

    it('repeats a render if Redis did not reply to the renderer once, or until its connection was cut', async () => {
      const good = system.handle.draw;
      const late = () => Promise.reject(new StoreError('unavailable', 'Redis: Command timed out'));
      const cut: typeof good = (...given) => (renderer.redis.commands.disconnect(true), good(...given));
      for (const first of [late, cut]) {
        let tries = 0;
        system.handle.draw = (...given) => (++tries === 1 ? first : good)(...given);
        const job = drawJob();
        const ref = await gateway.renders.obtain(job, { ttlMs });
        assert.deepEqual([ref.hash, tries], [job.hash, 2]);
        assert.match(renderer.errors.splice(0).join(), /Redis/);
      }
    });

    it('reports that a picture cannot be decoded, and does not retry at once', async () => {
      const draw = system.handle.draw;
      system.handle.draw = () => Promise.reject(new ApiError('bad_picture', 'image: not a JPEG or PNG'));
      const job = drawJob();
      await assert.rejects(gateway.renders.obtain(job, { ttlMs }), { code: 'bad_picture', message: 'image: not a JPEG or PNG' });
      system.handle.draw = draw;
      await assert.rejects(other.renders.obtain(job, { ttlMs }), { code: 'bad_picture' });
      assert.deepEqual(system.drawn, [job.hash]);
      assert.deepEqual(renderer.errors, []);
    });

    it('answers render_failed without details, reports the error, and succeeds on the next request', async () => {
      const draw = system.handle.draw;
      system.handle.draw = () => Promise.reject(new Error('secret detail'));
      const job = drawJob();
      await assert.rejects(
        gateway.renders.obtain(job, { ttlMs }),
        (error: ApiError) => error.code === 'render_failed' && !error.message.includes('secret'),
      );
      // The answer may arrive before the renderer has reported.
      await until(() => renderer.errors.length > 0);
      assert.deepEqual(
        renderer.errors.map(({ message }) => message),
        ['secret detail'],
      );
      system.handle.draw = draw;
      assert.equal((await gateway.renders.obtain(job, { ttlMs })).hash, job.hash);
    });

    it('waits on for a render if Redis did not reply to the gateway once while it was drawn, and fails if it did not twice in a row', async () => {
      const { media } = gateway;
      const read = media.findResult.bind(media);
      let late = 0;
      media.findResult = async (...given) => {
        if (late === 0) return read(...given);
        late -= 1;
        throw new StoreError('unavailable', 'Redis: Command timed out');
      };
      const good = system.handle.draw;
      const drawnAfter = (replies: number): typeof good => {
        return async (...given) => {
          late = replies;
          await until(() => late === 0, { what: 'the gateway to miss its replies' });
          return good(...given);
        };
      };
      try {
        system.handle.draw = drawnAfter(1);
        const job = drawJob();
        assert.equal((await gateway.renders.obtain(job, { ttlMs })).hash, job.hash);
        system.handle.draw = drawnAfter(2);
        await assert.rejects(gateway.renders.obtain(drawJob(), { ttlMs }), { name: 'StoreError', kind: 'unavailable' });
      } finally {
        media.findResult = read;
      }
    });

    it('finds a finished render although the notification was lost', async () => {
      let finish = () => {};
      system.handle.draw = () => new Promise((_, reject) => (finish = () => reject(new ApiError('render_failed', 'late'))));
      const job = drawJob();
      const pending = gateway.renders.obtain(job, { ttlMs });
      await until(() => system.drawn.length === 1);
      const ref = { kind: 'picture', account: job.account, hash: job.hash, format: 'png', bytes: 1, crc32: 1, w: 1, h: 1 };
      await gateway.redis.commands.set(accountKeys.mediaData(job.account, job.hash), 'x', 'PX', 60_000);
      await gateway.redis.commands.set(accountKeys.media(job.account, job.hash), JSON.stringify(ref), 'PX', 60_000);
      assert.deepEqual(await pending, ref);
      finish();
    });

    if (!isDirect)
      it('renders with another renderer if one dies while drawing', async () => {
        await system.stopWorker();
        // Simulates a renderer that took the job and died: it neither renews its lock nor finishes the job.
        const connection = renderer.redis.duplicate({ maxRetriesPerRequest: null, enableOfflineQueue: true, commandTimeout: 60_000 });
        let taken = false;
        const dead = new Worker('render', () => ((taken = true), new Promise(() => {})), {
          connection,
          prefix: sharedKeys.jobs(0),
          lockDuration: 6000,
          skipLockRenewal: true,
          skipStalledCheck: true,
        });
        await dead.waitUntilReady();
        const job = drawJob();
        const pending = gateway.renders.obtain(job, { ttlMs });
        await until(() => taken);
        await dead.close(true);
        connection.disconnect();
        await system.startWorker();
        assert.equal((await pending).hash, job.hash);
      });
  });

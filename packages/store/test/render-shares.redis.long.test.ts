import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { ApiError, type DrawJob } from '@perch/schema';
import { until } from '@perch/testkit';
import { newId, sha256 } from '../src/redis/ids.js';
import type { RenderWorker } from '../src/media/render-jobs.js';
import { accountKeys, sharedKeys } from '../src/redis/keys.js';
import type { RenderShare } from '../src/media/render-demand.js';
import type { RenderHandlers } from '../src/media/render-work.js';
import { renderHash } from '../src/media/renders.js';
import { keysOf, shardsOf } from './fixtures.js';
import { openRenderInstance, ttlMs, type RenderInstance } from './render-system.js';

const share: RenderShare = { jobsMax: 64, pixelsMax: 64e6 };

for (const shardCount of [1, 4])
  describe(`an account's share of the renderers (${shardCount} job ${shardCount === 1 ? 'shard' : 'shards'})`, () => {
    let gateway: RenderInstance;
    let other: RenderInstance;
    let renderer: RenderInstance;
    let worker: RenderWorker | null;
    let drawn: string[];
    let dropped: string[];
    const opened: RenderInstance[] = [];

    const open = async (isDirect = true): Promise<RenderInstance> => {
      const instance = await openRenderInstance({ shards: shardCount, share, isDirect });
      opened.push(instance);
      return instance;
    };

    beforeEach(async () => {
      [gateway, other, renderer] = [await open(), await open(), await open()];
      [drawn, dropped, worker] = [[], [], null];
    });
    afterEach(async () => {
      for (const instance of opened.splice(0)) await instance.close();
      worker = null;
    });

    const draw: RenderHandlers['draw'] = (job) => {
      drawn.push(job.scene as string);
      return Promise.resolve({ kind: 'picture', format: 'png', w: 320, h: 240, data: Buffer.from('picture') });
    };
    const never: RenderHandlers['draw'] = (job, _uploads, signal) => {
      drawn.push(job.scene as string);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    };
    const work = async (handler: RenderHandlers['draw'] = draw, uploads = 1): Promise<void> => {
      const handlers: RenderHandlers = {
        draw: handler,
        sound: () => Promise.reject(new Error('no sounds here')),
        speech: () => Promise.reject(new Error('no speech here')),
        dropped: (job) => void dropped.push((job as DrawJob).scene as string),
      };
      worker = renderer.jobs.work(handlers, { scenes: 1, uploads, speech: 1 });
      await worker.ready();
    };
    const jobOf = (account: string, scene: string, uploads: readonly Buffer[] = []): DrawJob => {
      const job = { kind: 'draw', account, scene, uploads: uploads.map(sha256), formats: ['png'], bytesMax: 98_304 } as const;
      return { ...job, hash: renderHash(job) };
    };
    interface OrderedRender {
      result: Promise<unknown>;
      leave(): void;
    }
    const ask = (instance: RenderInstance, account: string, scene: string, uploads: readonly Buffer[] = [], pixels = 0): OrderedRender => {
      const caller = new AbortController();
      const result = instance.renders.obtain(jobOf(account, scene, uploads), {
        ttlMs,
        signal: caller.signal,
        uploads: new Map(uploads.map((bytes) => [sha256(bytes), bytes])),
        pixels,
      });
      result.catch(() => {});
      return { result, leave: () => caller.abort(new Error('hung up')) };
    };
    const open64 = (account: string, uploads: readonly Buffer[] = []): OrderedRender[] =>
      Array.from({ length: 64 }, (_, i) => ask(gateway, account, `${account} ${i + 1}`, uploads));
    const waiting = async (): Promise<number> => {
      const { scenes, uploads } = await gateway.jobs.waiting();
      return scenes + uploads;
    };
    const untilWaiting = (count: number): Promise<unknown> => until(async () => (await waiting()) === count, { what: `${count} waiting jobs` });
    const demandOf = (account: string): Promise<number> =>
      gateway.redis.commands.zcard(sharedKeys.renderDemand(account, shardsOf(gateway.redis, shardCount).of(account)));
    const isBusy = (error: unknown): boolean => error instanceof ApiError && error.code === 'busy' && error.status === 503 && error.retryAfterS === 1;

    it('draws the first picture of one account before the second of another with many requests', async () => {
      const flood = newId('a');
      const calm = newId('a');
      const many = Array.from({ length: 20 }, (_, i) => ask(gateway, flood, `flood ${i + 1}`));
      await untilWaiting(20);
      const few = [1, 2].map((i) => ask(other, calm, `calm ${i}`));
      await untilWaiting(22);
      await work();
      await Promise.all([...many, ...few].map(({ result }) => result));
      assert.ok(drawn.indexOf('calm 1') <= 2, drawn.join());
      assert.ok(drawn.indexOf('calm 2') <= 4, drawn.join());
    });

    it('draws scenes while pictures with uploads occupy all processes for uploads', async () => {
      const account = newId('a');
      await work((job, uploads, signal) => (uploads.size > 0 ? never(job, uploads, signal) : draw(job, uploads, signal)));
      const upload = ask(gateway, account, 'upload', [randomBytes(10)]);
      await until(() => drawn.length === 1);
      await ask(gateway, account, 'scene').result;
      await ask(gateway, newId('a'), 'scene of another').result;
      upload.leave();
    });

    it('answers 503 busy with Retry-After for the 65th waiting job of an account, but not for other accounts and equal jobs', async () => {
      const account = newId('a');
      const asked = open64(account);
      await untilWaiting(64);
      await assert.rejects(ask(gateway, account, 'one too many').result, isBusy);
      await assert.rejects(ask(other, account, 'one too many').result, isBusy);
      assert.deepEqual([gateway.jobs.counts.busy, other.jobs.counts.busy], [1, 1]);
      assert.equal(gateway.redis.subscriber.size, 64, 'the refused call leaves no subscription behind');
      const [equal, foreign] = [ask(other, account, `${account} 1`), ask(other, newId('a'), 'of another account')];
      await untilWaiting(65);
      await work();
      await Promise.all([...asked, equal, foreign].map(({ result }) => result));
      await until(async () => (await demandOf(account)) === 0);
      await ask(gateway, account, 'after all').result;
    });

    it('answers 503 busy beyond 64 megapixels, and stores no byte of the refused upload', async () => {
      const account = newId('a');
      const uploads = Array.from({ length: 4 }, () => randomBytes(100));
      const asked = uploads.slice(0, 3).map((bytes, i) => ask(gateway, account, `upload ${i}`, [bytes], 4096 ** 2));
      await untilWaiting(3);
      const refused = ask(gateway, account, 'fourth', [uploads[3]!], 4096 ** 2);
      await assert.rejects(refused.result, isBusy);
      assert.equal(await gateway.uploads.take(jobOf(account, 'fourth', [uploads[3]!]), sha256(uploads[3]!)), null);
      await work();
      await Promise.all(asked.map(({ result }) => result));
      await ask(gateway, account, 'fourth', [uploads[3]!], 4096 ** 2).result;
    });

    it('accepts a single menu of more than 64 megapixels if the account has no other waiting jobs', async () => {
      await work();
      await ask(gateway, newId('a'), 'menu', [randomBytes(100)], 6 * 4096 ** 2).result;
    });

    it('accepts a burst of 30 new cards', async () => {
      await work();
      const account = newId('a');
      await Promise.all(Array.from({ length: 30 }, (_, i) => ask(i % 2 ? gateway : other, account, `card ${i}`).result));
      assert.equal(drawn.length, 30);
      await until(async () => (await demandOf(account)) === 0);
    });

    it('deletes a waiting job, its uploads and its counts within a second after its last caller has left', async () => {
      const account = newId('a');
      const bytes = randomBytes(1000);
      const asked = open64(account, [bytes]);
      await untilWaiting(64);
      for (const { leave } of asked) leave();
      await untilWaiting(0);
      const { commands } = gateway.redis;
      await until(async () => (await keysOf(gateway.redis, `${accountKeys.record(account)}:upload:*`)).length === 0, {
        what: 'the uploads to be deleted',
      });
      assert.equal(await demandOf(account), 0);
      assert.equal(gateway.jobs.counts.dropped, 64);
      await until(async () => Number((await commands.hget(accountKeys.quotaBytes(account), 'total')) ?? 0) === 0, { what: 'an empty quota' });
      const leftovers = await keysOf(gateway.redis, `${sharedKeys.jobs(shardsOf(gateway.redis, shardCount).of(account))}:render*:de:${account}:*`);
      assert.deepEqual(leftovers, [], 'no deduplication key is left');
      await work();
      await ask(gateway, newId('a'), 'next').result;
      assert.deepEqual([drawn, dropped], [['next'], []]);
    });

    it('keeps a waiting job while a caller at another gateway waits for it', async () => {
      const account = newId('a');
      const first = ask(gateway, account, 'shared');
      await untilWaiting(1);
      const second = ask(other, account, 'shared');
      await until(async () => (await demandOf(account)) === 2);
      first.leave();
      await until(async () => (await demandOf(account)) === 1);
      assert.equal(await waiting(), 1);
      await work();
      await second.result;
      assert.deepEqual([drawn, gateway.jobs.counts.dropped], [['shared'], 0]);
    });

    it('drops a waiting job whose gateway died without drawing it, and frees its share', async () => {
      const account = newId('a');
      const dying = await open();
      const lost = ask(dying, account, 'lost');
      await untilWaiting(1);
      // Simulates the death of a process: its connection closes, and it withdraws nothing.
      dying.redis.commands.disconnect();
      await assert.rejects(lost.result);
      await until(
        async () =>
          (await demandOf(account)) === 0 ||
          (await gateway.redis.commands.pttl(sharedKeys.renderDemand(account, shardsOf(gateway.redis, shardCount).of(account)))) < 0,
        {
          what: 'the demand to expire',
        },
      );
      await work();
      await until(() => dropped.length === 1);
      assert.deepEqual([drawn, dropped], [[], ['lost']]);
    });

    it('ends a running job about a second after its last caller has left', async () => {
      await work(never);
      const account = newId('a');
      const running = ask(gateway, account, 'running', [randomBytes(10)]);
      await until(() => drawn.length === 1);
      running.leave();
      await until(() => dropped.length === 1, { what: 'the running job to be dropped' });
      assert.equal(await demandOf(account), 0);
      await until(
        async () =>
          (await gateway.redis.commands.llen(`${sharedKeys.jobs(shardsOf(gateway.redis, shardCount).of(account))}:render-uploads:active`)) === 0,
      );
    });

    it('draws a picture again for a caller that arrives while the last one leaves', async () => {
      await work();
      const account = newId('a');
      for (let round = 0; round < 20; round++) {
        const first = ask(gateway, account, `round ${round}`, [randomBytes(10)]);
        if (round % 2 === 0) await Promise.resolve();
        else await new Promise((resolve) => setTimeout(resolve, round / 4));
        const bytes = randomBytes(10);
        first.leave();
        await ask(round % 4 < 2 ? gateway : other, account, `again ${round}`, [bytes]).result;
        await ask(gateway, account, `round ${round}`).result;
      }
    });

    it('counts a job whose renderer died until another renderer has drawn it', async () => {
      const account = newId('a');
      const dying = await open();
      const stuck = dying.jobs.work(
        { draw: never, sound: () => Promise.reject(new Error('none')), speech: () => Promise.reject(new Error('none')) },
        { scenes: 1, uploads: 1, speech: 1 },
      );
      await stuck.ready();
      const asked = ask(await open(false), account, 'survives');
      await until(() => drawn.length === 1);
      // Simulates the death of the process: the lock is missing and the job is never finished.
      const { commands } = gateway.redis;
      const closing = dying.close();
      assert.equal(await demandOf(account), 1);
      await commands.del(...(await keysOf(gateway.redis, `${sharedKeys.jobs(shardsOf(gateway.redis, shardCount).of(account))}:render:*:lock`)));
      await work();
      await asked.result;
      await until(async () => (await demandOf(account)) === 0);
      await closing;
    });
  });

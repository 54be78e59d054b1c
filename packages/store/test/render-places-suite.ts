import assert from 'node:assert/strict';
import { ApiError } from '@perch/schema';
import { needsRealRedis, needsRedisServer, redisCluster, redisUrl, until, type LocalRedisCluster } from '@perch/testkit';
import { accountKeys, sharedKeys } from '../src/redis/keys.js';
import type { RenderHandlers, RenderWay } from '../src/media/render-work.js';
import { keysOf, shardsOf } from './fixtures.js';
import { drawJob, openRenderInstance, soundJob, ttlMs, type RenderInstance, type RenderInstanceOptions } from './render-system.js';

export interface RenderPlacesSystem {
  /** Number of job shards. */
  shards: number;
  onCluster?: boolean;
}

export function onRenderPlaces(title: string, { shards, onCluster = false }: RenderPlacesSystem): void {
  describe(`renders that a gateway sends to a renderer, past the queue (${title})`, () => {
    let cluster: LocalRedisCluster | null = null;
    let url: string;
    let gateway: RenderInstance;
    let other: RenderInstance;
    /** `<renderer> <hash>` of each render, in the order in which they began. */
    let drawn: string[];
    let ways: RenderWay[];
    const opened: RenderInstance[] = [];
    const old = new Set<RenderInstance>();

    const open = async (options: RenderInstanceOptions = {}): Promise<RenderInstance> => {
      const instance = await openRenderInstance({ shards, url, ...options });
      if (options.isDirect === false) old.add(instance);
      opened.push(instance);
      return instance;
    };
    const picture: RenderHandlers['draw'] = () => Promise.resolve({ kind: 'picture', format: 'png', w: 320, h: 240, data: Buffer.from('picture') });
    const never: RenderHandlers['draw'] = (_job, _uploads, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const work = async (instance: RenderInstance, name: string, draw = picture, scenes = 2): Promise<{ close(): Promise<void> }> => {
      const worker = instance.jobs.work(
        {
          draw: (job, ...given) => (drawn.push(`${name} ${job.hash}`), draw(job, ...given)),
          sound: (job) => (
            drawn.push(`${name} ${job.hash}`),
            Promise.resolve({ kind: 'sound', format: 'pcm_s16le', rate: 16_000, data: Buffer.alloc(10) })
          ),
          speech: () => Promise.reject(new Error('no speech here')),
          taken: (_job, _waitedMs, way) => void ways.push(way),
        },
        { scenes, uploads: 1, speech: 1 },
      );
      await worker.ready();
      // Workers look for jobs as they start, each with a slot.
      if (!old.has(instance)) await until(async () => (await places()).length >= scenes * shards, { what: 'free places' });
      return worker;
    };
    /** A handler that draws once the test lets it. */
    const held = (): { draw: RenderHandlers['draw']; finish(): void } => {
      let finish = (): void => {};
      const finished = new Promise<void>((resolve) => (finish = resolve));
      return { draw: async (...given) => (await finished, picture(...given)), finish: () => finish() };
    };
    const shardOf = (account: string): number => shardsOf(gateway.redis, shards).of(account);
    const places = async (): Promise<string[]> =>
      (
        await Promise.all(Array.from({ length: shards }, (_, shard) => gateway.redis.commands.zrange(sharedKeys.renderPlaces(shard), '0', '-1')))
      ).flat();
    const untilFree = (count: number): Promise<unknown> =>
      until(async () => (await places()).length === count * shards, { what: `${count} free places` });
    /** Obtains new renders until one went past the queue: a worker that looks for a job holds a slot for a moment. */
    const obtainPast = (made: () => ReturnType<typeof drawJob> | ReturnType<typeof soundJob>): Promise<unknown> =>
      until(
        async () => {
          const job = made();
          assert.equal((await gateway.renders.obtain(job, { ttlMs })).hash, job.hash);
          return ways.at(-1) === 'direct';
        },
        { what: 'a render past the queue' },
      );
    const claims = (): Promise<string[]> => keysOf(gateway.redis, 'perch:{jobs*}:render-claim:*');

    before(async function () {
      if (onCluster) {
        needsRedisServer(this);
        cluster = await redisCluster();
      }
      url = cluster?.url ?? (await redisUrl());
    });
    after(() => cluster?.stop());
    beforeEach(async () => {
      [drawn, ways] = [[], []];
      [gateway, other] = [await open(), await open()];
    });
    afterEach(async () => {
      for (const instance of opened.splice(0)) await instance.close();
    });

    it('draws a picture and a sound without a job, and has all places free again', async () => {
      const renderer = await open();
      await work(renderer, 'one');
      for (const made of [drawJob, soundJob]) await obtainPast(() => made());
      assert.equal(new Set(drawn).size, ways.length);
      await untilFree(2);
      assert.deepEqual(await claims(), []);
      assert.deepEqual(renderer.errors, []);
    });

    it('draws once for 64 equal requests at once on two gateways', async () => {
      const first = held();
      await work(await open(), 'one', first.draw);
      await work(await open(), 'two', first.draw);
      const job = drawJob();
      const refs = Array.from({ length: 64 }, (_, i) => (i % 2 ? gateway : other).renders.obtain(job, { ttlMs }));
      await until(async () => (await gateway.redis.commands.zcard(sharedKeys.renderDemand(job.account, shardOf(job.account)))) === 2);
      first.finish();
      assert.equal(new Set((await Promise.all(refs)).map(({ hash }) => hash)).size, 1);
      assert.equal(drawn.length, 1);
      assert.equal(ways.length, 1);
    });

    it('queues what finds no free place, so that a direct render never overtakes a job that waits', async () => {
      const first = held();
      await work(await open(), 'one', first.draw, 1);
      const [running, waiting] = [drawJob(), drawJob()];
      const results = [gateway.renders.obtain(running, { ttlMs })];
      await until(() => drawn.length === 1);
      await untilFree(0);
      results.push(gateway.renders.obtain(waiting, { ttlMs }));
      await until(async () => (await gateway.jobs.waiting()).scenes === 1);
      first.finish();
      await Promise.all(results);
      assert.deepEqual(
        drawn,
        [running, waiting].map(({ hash }) => `one ${hash}`),
      );
      // The first one, too, is queued if it arrives while a worker holds the slot to look for a job.
      assert.equal(ways[1], 'queue');
      await untilFree(1);
    });

    it('queues a render while no renderer works, and while none has announced a place', async () => {
      const job = drawJob();
      const result = gateway.renders.obtain(job, { ttlMs });
      await until(async () => (await gateway.jobs.waiting()).scenes === 1);
      await work(await open({ isDirect: false }), 'old');
      await result;
      await gateway.renders.obtain(drawJob(), { ttlMs });
      assert.deepEqual(ways, ['queue', 'queue']);
    });

    it('draws once for equal requests of which the first was queued', async () => {
      const first = held();
      await work(await open(), 'one', first.draw);
      const queued = await open({ isDirect: false });
      const job = drawJob();
      const results = [queued.renders.obtain(job, { ttlMs })];
      await until(() => drawn.length === 1);
      results.push(gateway.renders.obtain(job, { ttlMs }));
      await until(async () => (await gateway.redis.commands.zcard(sharedKeys.renderDemand(job.account, shardOf(job.account)))) === 2);
      first.finish();
      await Promise.all(results);
      assert.equal(drawn.length, 1);
    });

    it('draws with another renderer if the one that has the request dies, at once or after it has renewed its claim', async () => {
      await work(await open({ isDirect: false }), 'heir');
      for (const renews of [false, true]) {
        const job = drawJob();
        const shard = shardOf(job.account);
        const keys = [sharedKeys.renderDemand(job.account, shard), sharedKeys.renderClaim(job.account, job.hash, shard)] as const;
        const dead = await open();
        let requests = 0;
        await dead.redis.subscriber.subscribe(sharedKeys.rendererChannel('dead', shard), () => {
          requests += 1;
          if (renews) void dead.redis.script('renderHold', keys, [job.hash, 'dead/0', 4000]);
        });
        await dead.redis.script('renderPlaces', [sharedKeys.renderPlaces(shard)], [3000, 1, 'dead/0']);
        assert.equal((await gateway.renders.obtain(job, { ttlMs })).hash, job.hash);
        assert.equal(requests, 1);
        assert.deepEqual(drawn.splice(0), [`heir ${job.hash}`]);
      }
      assert.deepEqual(ways, ['queue', 'queue']);
    });

    it('queues the render of a renderer that announced a place and receives nothing any more', async function () {
      needsRealRedis(this, await redisUrl(), 'the number of receivers of a message inside a script');
      const job = drawJob();
      const shard = shardOf(job.account);
      await gateway.redis.script('renderPlaces', [sharedKeys.renderPlaces(shard)], [3000, 1, 'dead/0']);
      await work(await open({ isDirect: false }), 'old');
      await gateway.renders.obtain(job, { ttlMs });
      assert.deepEqual(ways, ['queue']);
      assert.equal(await gateway.redis.commands.zscore(sharedKeys.renderPlaces(shard), 'dead/0'), null);
    });

    it('queues a render at once that reaches a renderer without a free slot', async () => {
      const first = held();
      await work(await open(), 'one', first.draw, 1);
      const [place] = await places();
      const [running, waiting] = [drawJob(), drawJob()];
      const results = [gateway.renders.obtain(running, { ttlMs })];
      await until(() => drawn.length === 1);
      await untilFree(0);
      // A place that its renderer could not withdraw in time.
      await gateway.redis.script('renderPlaces', [sharedKeys.renderPlaces(shardOf(waiting.account))], [3000, 1, place!]);
      results.push(gateway.renders.obtain(waiting, { ttlMs }));
      await until(async () => (await gateway.jobs.waiting()).scenes === 1);
      first.finish();
      await Promise.all(results);
      assert.equal(ways[1], 'queue');
    });

    it('finishes its direct renders when a renderer drains, which takes no further ones', async () => {
      const first = held();
      const draining = await work(await open(), 'draining', first.draw);
      const [running, later] = [drawJob(), drawJob()];
      const result = gateway.renders.obtain(running, { ttlMs });
      await until(() => drawn.length === 1);
      const closed = draining.close();
      await untilFree(0);
      // As a caller does that is told to try again: a busy machine may take longer to open the next renderer than a render may take.
      const second = until(() => gateway.renders.obtain(later, { ttlMs }), { what: 'the later picture' });
      await until(async () => (await gateway.jobs.waiting()).scenes === 1);
      first.finish();
      assert.equal((await result).hash, running.hash);
      await work(await open(), 'next');
      await Promise.all([second, closed]);
      assert.deepEqual(drawn, [`draining ${running.hash}`, `next ${later.hash}`]);
      assert.deepEqual(await claims(), []);
    });

    it('leaves a render to the queue at once if its renderer cannot read the request', async () => {
      const renderer = await open();
      await work(renderer, 'one');
      const { fits } = renderer.redis.forms;
      let refused = 0;
      renderer.redis.forms.fits = (format, value) =>
        format === 'render_job' && refused++ === 0 ? false : fits.call(renderer.redis.forms, format, value);
      const job = drawJob();
      await gateway.renders.obtain(job, { ttlMs });
      assert.ok(!ways.includes('direct'), ways.join());
      await untilFree(2);
    });

    it('reports a failed direct render to its callers, and draws again at the next request', async () => {
      let fails = true;
      await work(await open(), 'one', (...given) => (fails ? Promise.reject(new ApiError('render_failed', 'too long')) : picture(...given)));
      let job = drawJob();
      await until(
        async () => {
          job = drawJob();
          await assert.rejects(gateway.renders.obtain(job, { ttlMs }), { code: 'render_failed' });
          return ways.at(-1) === 'direct';
        },
        { what: 'a failure past the queue' },
      );
      fails = false;
      assert.equal((await gateway.renders.obtain(job, { ttlMs })).hash, job.hash);
    });

    it('ends a direct render after its last caller has left', async () => {
      await work(await open(), 'one', never);
      const gone = new AbortController();
      const job = drawJob();
      const result = gateway.renders.obtain(job, { ttlMs, signal: gone.signal });
      await until(() => drawn.length === 1);
      gone.abort(new Error('hung up'));
      await assert.rejects(result, { message: 'hung up' });
      await untilFree(2);
      assert.equal(await gateway.media.find(job.account, job.hash, 0), null);
      assert.equal(await gateway.redis.commands.exists(accountKeys.media(job.account, job.hash)), 0);
    });

    it('announces a place again whose request got lost', async () => {
      await work(await open(), 'one');
      await untilFree(2);
      for (let shard = 0; shard < shards; shard += 1) await gateway.redis.commands.del(sharedKeys.renderPlaces(shard));
      await untilFree(2);
    });
  });
}

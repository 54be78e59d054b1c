import assert from 'node:assert/strict';
import { ApiError, type DrawJob } from '@perch/schema';
import { needsRedisServer, privateRedis, redisCluster, until, type LocalRedis, type LocalRedisCluster } from '@perch/testkit';
import keySlot from 'cluster-key-slot';
import type { Cluster } from 'ioredis';
import { masterOf } from '../src/redis/cluster-nodes.js';
import { newId } from '../src/redis/ids.js';
import { JobShards } from '../src/jobs/job-shards.js';
import { jobShardsMax, jobTag, sharedKeys } from '../src/redis/keys.js';
import { RenderJobs, type RenderWorker } from '../src/media/render-jobs.js';
import { GrowingSounds } from '../src/media/growing-sounds.js';
import { Media } from '../src/media/media.js';
import { connect, type Connections } from '../src/redis/connections.js';
import type { RenderHandlers } from '../src/media/render-work.js';
import { renderHash, Renders } from '../src/media/renders.js';
import { openStore } from '../src/store.js';
import { Uploads } from '../src/media/uploads.js';
import { held } from './fixtures.js';

interface Instance {
  redis: Connections;
  shards: JobShards;
  jobs: RenderJobs;
  renders: Renders;
  errors: Error[];
}

describe('job shards', () => {
  let server: LocalRedis;
  const opened: Instance[] = [];

  before(async () => {
    server = await privateRedis();
  });
  afterEach(async () => {
    for (const { jobs, shards, redis } of opened.splice(0)) {
      await jobs.close();
      shards.close();
      if (opened.length === 0) await redis.commands.flushall();
      await redis.close();
    }
  });
  after(() => server?.stop());

  const open = async (count: number, url = server.url): Promise<Instance> => {
    const redis = await connect({ url });
    const errors: Error[] = [];
    const onError = (error: Error): void => void errors.push(error);
    const shards = new JobShards({ redis, instance: newId('a'), count, onError });
    await shards.start();
    const [media, uploads, growing] = [new Media(redis), new Uploads(redis), new GrowingSounds(redis)];
    // Shards of the queue: past it, renders are tested by `render-places-suite.ts`.
    const jobs = new RenderJobs({ redis, media, uploads, growing, shards, onError, isDirect: false });
    const instance = { redis, shards, jobs, renders: new Renders(redis, media, uploads, growing, jobs), errors };
    opened.push(instance);
    return instance;
  };
  const accountIn = (shard: number, { shards }: Instance): string => {
    for (;;) {
      const account = newId('a');
      if (shards.of(account) === shard) return account;
    }
  };
  const jobOf = (account: string, scene: string): DrawJob => {
    const job = { kind: 'draw', account, scene, uploads: [], formats: ['png'], bytesMax: 98_304 } as const;
    return { ...job, hash: renderHash(job) };
  };
  const ask = ({ renders }: Instance, account: string, scene: string, signal?: AbortSignal): Promise<unknown> => {
    const result = renders.obtain(jobOf(account, scene), { ttlMs: 60_000, ...(signal === undefined ? {} : { signal }) });
    result.catch(() => {});
    return result;
  };
  const made = { kind: 'picture', format: 'png', w: 320, h: 240, data: Buffer.from('picture') } as const;
  const none = (): Promise<never> => Promise.reject(new Error('no sounds here'));
  const work = ({ jobs }: Instance, draw: RenderHandlers['draw'], scenes = 1): RenderWorker =>
    jobs.work({ draw, sound: none, speech: none }, { scenes, uploads: 1, speech: 1 });

  it('distributes the tags over 64 equal slot ranges, the first n as far apart as possible', () => {
    const ranges = Array.from({ length: jobShardsMax }, (_, shard) => masterRange(shard));
    assert.equal(jobTag(0), 'jobs');
    assert.equal(new Set(ranges).size, jobShardsMax);
    for (const count of [2, 4, 8, 16, 32]) {
      const sorted = ranges.slice(0, count).toSorted((a, b) => a - b);
      for (const [i, range] of sorted.entries()) {
        const next = sorted[i + 1] ?? sorted[0]! + jobShardsMax;
        assert.equal(next - range, jobShardsMax / count, `${count} shards`);
      }
    }
  });

  it('uses keys without a number of a shard with one shard', async () => {
    const gateway = await open(1);
    const leave = new AbortController();
    const account = newId('a');
    const asked = ask(gateway, account, 'scene', leave.signal);
    await until(async () => (await gateway.jobs.waiting()).scenes === 1);
    const keys = await gateway.redis.commands.keys('perch:*');
    assert.ok(keys.includes('perch:{jobs}:render:prioritized'), keys.join());
    assert.ok(keys.includes(`perch:{jobs}:render-demand:${account}`), keys.join());
    assert.ok(!keys.some((key) => key.includes('{jobs:') || key.includes('job-shards')), keys.join());
    leave.abort(new Error('hung up'));
    await assert.rejects(asked);
  });

  it('serves the shards round robin: the first picture of every account precedes the second of an account with many', async () => {
    const gateway = await open(4);
    const flood = accountIn(1, gateway);
    const others = [0, 1, 2, 3].map((shard) => accountIn(shard, gateway));
    const many = Array.from({ length: 20 }, (_, i) => ask(gateway, flood, `flood ${i}`));
    await until(async () => (await gateway.jobs.waiting()).scenes === 20);
    const few = others.map((account) => ask(gateway, account, 'calm'));
    await until(async () => (await gateway.jobs.waiting()).scenes === 24);
    const drawn: string[] = [];
    work(await open(4), async (job) => {
      drawn.push(job.account);
      return Promise.resolve(made);
    });
    await Promise.all([...many, ...few]);
    for (const account of others) assert.ok(drawn.indexOf(account) <= 10, drawn.map((one) => (one === flood ? 'flood' : others.indexOf(one))).join());
  });

  it('shares the concurrency of a renderer among the shards, and takes no job without a free slot', async () => {
    const gateway = await open(4);
    const [busy, idle] = [await open(4), await open(4)];
    let atOnce = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const hold: RenderHandlers['draw'] = async () => {
      most = Math.max(most, (atOnce += 1));
      await new Promise<void>((resolve) => ends.push(resolve));
      atOnce -= 1;
      return made;
    };
    await work(busy, hold, 2).ready();
    const asked = [0, 1, 2, 3].flatMap((shard) => [1, 2, 3].map((n) => ask(gateway, accountIn(shard, gateway), `${n}`)));
    await until(() => ends.length === 2);
    const active = async (): Promise<number> => {
      const lists = [0, 1, 2, 3].map((shard) => gateway.redis.commands.llen(`${sharedKeys.jobs(shard)}:render:active`));
      return (await Promise.all(lists)).reduce((sum, count) => sum + count, 0);
    };
    const since = performance.now();
    await until(async () => {
      assert.equal(await active(), 2);
      return performance.now() - since > 500;
    });
    // The idle renderer takes the jobs of all shards, although the busy one was notified first.
    let drawn = 0;
    await work(idle, () => ((drawn += 1), Promise.resolve(made)), 2).ready();
    await until(() => drawn === 10, { what: 'the idle renderer to make all other pictures' });
    ends.splice(0).forEach((end) => end());
    await Promise.all(asked);
    assert.equal(most, 2);
  });

  it('notifies an idle renderer of a job for which a busy renderer was notified first', async () => {
    const gateway = await open(4);
    const [busy, idle] = [await open(4), await open(4)];
    const ends: (() => void)[] = [];
    await work(busy, () => new Promise((resolve) => ends.push(() => resolve(made)))).ready();
    const first = ask(gateway, accountIn(2, gateway), 'held');
    await until(() => ends.length === 1);
    await work(idle, () => Promise.resolve(made)).ready();
    for (let i = 0; i < 8; i++) {
      const began = performance.now();
      await ask(gateway, accountIn(i % 4, gateway), `quick ${i}`);
      assert.ok(performance.now() - began < 4000, 'before BullMQ looks again by itself');
    }
    ends[0]!();
    await first;
  });

  it('loses no job when a renderer stops while it waits for a slot', async () => {
    const gateway = await open(4);
    const [first, second] = [await open(4), await open(4)];
    const ends: (() => void)[] = [];
    const worker = work(first, () => new Promise((resolve) => ends.push(() => resolve(made))));
    await worker.ready();
    const asked = [0, 1, 2, 3].map((shard) => ask(gateway, accountIn(shard, gateway), 'scene'));
    await until(() => ends.length === 1);
    const closed = worker.close();
    ends[0]!();
    await closed;
    await work(second, () => Promise.resolve(made)).ready();
    await Promise.all(asked);
  });

  it('works on all shards with a renderer that has a lower setting, started before or after the gateway', async () => {
    const before = await open(1);
    await work(before, () => Promise.resolve(made)).ready();
    const gateway = await open(8);
    await ask(gateway, accountIn(7, gateway), 'one');
    await before.jobs.close();
    const after = await open(2);
    await work(after, () => Promise.resolve(made)).ready();
    await ask(gateway, accountIn(6, gateway), 'two');
  });

  it('empties shards with higher numbers that no instance uses any longer', async () => {
    const former = await open(8);
    const account = accountIn(5, former);
    const asked = ask(former, account, 'left over');
    await until(async () => (await former.jobs.waiting()).scenes === 1);
    // The gateway with the higher number sends no more jobs.
    former.shards.close();
    const drawn: string[] = [];
    await work(await open(2), (job) => (drawn.push(job.account), Promise.resolve(made))).ready();
    await until(() => drawn.includes(account));
    await asked;
  });

  it('answers render_failed within seconds and names the setting if no renderer works on the shard', async () => {
    const gateway = await open(4);
    await assert.rejects(ask(gateway, accountIn(3, gateway), 'scene'), (error: unknown) => {
      assert.ok(error instanceof ApiError && error.code === 'render_failed', String(error));
      assert.match(error.message, /No renderer works on job shard 3 of 4\..*PERCH_JOB_SHARDS/);
      return true;
    });
    assert.match(gateway.errors[0]!.message, /PERCH_JOB_SHARDS/);
    // Jobs of the first shard wait for a renderer that starts.
    const leave = new AbortController();
    const asked = ask(gateway, accountIn(0, gateway), 'scene', leave.signal);
    const failed = await Promise.race([asked.catch(() => true), new Promise((resolve) => setTimeout(() => resolve(false), 4500))]);
    assert.equal(failed, false);
    leave.abort(new Error('hung up'));
  });

  describe('on a Redis Cluster of three masters', () => {
    let cluster: LocalRedisCluster;
    before(async function () {
      needsRedisServer(this);
      cluster = await redisCluster();
    });
    after(() => cluster?.stop());

    it('uses every master from four shards on, and two masters with two, and draws pictures of accounts in all shards', async () => {
      const gateway = await open(4, cluster.url);
      const { commands } = gateway.redis;
      const mastersOf = (count: number): number =>
        new Set(Array.from({ length: count }, (_, shard) => masterOf(commands as Cluster, sharedKeys.jobs(shard)))).size;
      assert.deepEqual([1, 2, 4, 8, 64].map(mastersOf), [1, 2, 3, 3, 3]);
      await work(await open(4, cluster.url), () => Promise.resolve(made), 2).ready();
      const accounts = [0, 1, 2, 3].flatMap((shard) => [accountIn(shard, gateway), accountIn(shard, gateway)]);
      await Promise.all(accounts.flatMap((account) => ['a', 'b', 'c'].map((scene) => ask(gateway, account, scene))));
      assert.deepEqual(gateway.errors, []);
    });

    it('delivers the events of robots in all shards to the webhooks of their accounts exactly once', async () => {
      const store = await openStore({ url: cluster.url, instance: 'test-1', jobShards: 4 });
      const other = await openStore({ url: cluster.url, instance: 'test-2' });
      const sent: string[] = [];
      const worker = other.deliver({
        concurrency: 2,
        retriesMs: [],
        handlers: {
          send: (webhook, { id }) => (sent.push(`${webhook.account} ${id}`), Promise.resolve({ status: 200, error: null })),
          ended: () => {},
          leftOut: (count) => assert.equal(count, 0),
        },
      });
      try {
        await worker.ready();
        const accounts = Array.from({ length: 12 }, () => newId('a'));
        const wanted = await Promise.all(
          accounts.map(async (account) => {
            await store.webhooks.create(account, { url: 'https://example.com/', names: ['pat'] });
            const { robot, token } = await store.robots.create({ account });
            const { session } = await held(store, robot, { tokenHash: (await store.robots.byToken(token))!.tokenHash! });
            // The clocks of two nodes may differ slightly; an event older than its webhook is not sent.
            const createdAt = store.clock.now();
            await until(() => store.clock.now() > createdAt + 50);
            await store.events.append(robot, { session, bootId: 'boot1', inSeq: 1, events: [{ name: 'pat', data: {} }] });
            return `${account} msg_${robot}_1`;
          }),
        );
        await until(() => sent.length >= 12);
        assert.deepEqual(sent.toSorted(), wanted.toSorted());
      } finally {
        await worker.close();
        await Promise.all([store.close(), other.close()]);
      }
    });
  });
});

function masterRange(shard: number): number {
  return Math.floor(keySlot(jobTag(shard)) / (16_384 / jobShardsMax));
}

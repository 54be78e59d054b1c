import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { DrawJob } from '@perch/schema';
import type { Cluster } from 'ioredis';
import { needsRedisServer, redisCluster, until, type LocalRedisCluster } from '@perch/testkit';
import { AttemptCounter } from '../src/accounts/attempt-counter.js';
import { masterOf } from '../src/redis/cluster-nodes.js';
import { Accounts } from '../src/accounts/accounts.js';
import { ApiKeys } from '../src/keys/api-keys.js';
import { newId, sha256 } from '../src/redis/ids.js';
import { RenderJobs } from '../src/media/render-jobs.js';
import { accountKeys, sharedKeys } from '../src/redis/keys.js';
import { MediaQuota, MediaBudget } from '../src/media/media-budget.js';
import { GrowingSounds } from '../src/media/growing-sounds.js';
import { Media } from '../src/media/media.js';
import { OneTimeTokens } from '../src/auth/one-time-tokens.js';
import { Pairing } from '../src/robots/pairing.js';
import { memoryOfMasters } from '../src/redis/redis-report.js';
import { connect, type Connections } from '../src/redis/connections.js';
import { renderHash, Renders } from '../src/media/renders.js';
import { shardsOf } from './fixtures.js';
import { openStore } from '../src/store.js';
import type { OwnersRobot } from '../src/robots/robot-list.js';
import { Robots } from '../src/robots/robots.js';
import { Uploads } from '../src/media/uploads.js';

/** Enough owners that each node has some of them in every tick. */
const many = Array.from({ length: 24 }, (_, i) => i);

describe('on a Redis Cluster of three masters', () => {
  let cluster: LocalRedisCluster;
  let redis: Connections;

  before(async function () {
    needsRedisServer(this);
    cluster = await redisCluster();
    redis = await connect({ url: cluster.url });
  });
  after(async () => {
    await redis?.close();
    await cluster?.stop();
  });

  it('ends the invitations of all nodes together', async () => {
    const invitations = new OneTimeTokens(redis, 'invitation');
    await Promise.all(many.map(() => invitations.make('', 60_000)));
    assert.equal(await invitations.endAll(), many.length);
  });

  it('creates, admits, checks and revokes keys of many accounts in the same tick', async () => {
    const keys = new ApiKeys(redis);
    const made = await Promise.all(many.map(() => keys.create({ account: newId('a') })));
    const admitted = await Promise.all(made.map(({ apiKey }) => keys.admit({ apiKey, cost: 1 })));
    const hashes = admitted.map((one) => (assert.ok(one.ok), one.keyHash));
    assert.deepEqual(
      await keys.stillValid(hashes),
      many.map(() => true),
    );
    await Promise.all(admitted.map((one, i) => (assert.ok(one.ok), keys.revoke(one.account, made[i]!.id))));
    assert.deepEqual(
      await keys.stillValid(hashes),
      many.map(() => false),
    );
  });

  it('names and lists robots and finds addresses of instances on all nodes', async () => {
    const store = await openStore({ url: cluster.url, instance: `test-${newId('k')}` });
    try {
      await store.instances.offer('link', `ws://${store.instance}`);
      const made = await Promise.all(
        many.map(async () => {
          const account = newId('a');
          const { robot } = await store.robots.create({ account, virtual: true });
          return { account, robot };
        }),
      );
      assert.deepEqual(
        await Promise.all(made.map(({ account, robot }) => store.robots.rename(account, robot, `name of ${robot}`))),
        many.map(() => true),
      );
      const lists = await Promise.all(
        made.map(async ({ account }) => {
          const robots: OwnersRobot[] = [];
          for await (const slice of store.robotList.forOwner(account)) robots.push(...slice);
          return robots;
        }),
      );
      assert.deepEqual(
        lists.map((robots) => robots.map(({ id, name, virtual, online }) => [id, name, virtual, online])),
        made.map(({ robot }) => [[robot, `name of ${robot}`, true, false]]),
      );
      assert.deepEqual(await store.instances.offered('link'), [`ws://${store.instance}`]);
    } finally {
      await store.close();
    }
  });

  it('creates robots in bulk, finds them by labels and removes them on all nodes', async () => {
    const store = await openStore({ url: cluster.url, instance: `test-${newId('k')}` });
    try {
      const { account } = await store.accounts.create({ email: `${randomUUID()}@example.org` });
      const made: string[] = [];
      const wanted = many.map((i) => ({ account, serial: `SN${i}`, labels: { room: `r${i % 2}` } }));
      assert.deepEqual(await store.robots.createAll(account, wanted, ({ robot }, i) => (made[i] = robot)), []);
      const even = made.filter((_, i) => i % 2 === 0).toSorted();
      assert.deepEqual(await store.robotLabels.all(account, ['room=r0']), even);
      assert.equal((await store.robots.bySerials(account, ['SN0', 'SN1'])).get('SN1'), made[1]);
      assert.deepEqual(await store.robotLabels.change(account, made[1]!, { set: { room: 'r0' } }), { room: 'r0' });
      await Promise.all(made.map((robot) => store.robots.remove(account, robot)));
      assert.deepEqual(await store.robotLabels.all(account, ['room=r0']), []);
    } finally {
      await store.close();
    }
  });

  it('admits 30 of 100 concurrent calls of a key', async () => {
    const keys = new ApiKeys(redis);
    const { apiKey } = await keys.create({ account: newId('a') });
    const start = performance.now();
    const burst = await Promise.all(Array.from({ length: 100 }, () => keys.admit({ apiKey, cost: 1 })));
    const passed = burst.filter((one) => one.ok).length;
    assert.ok(passed >= 30 && passed <= 30 + Math.floor((performance.now() - start) / 100), String(passed));
  });

  it('creates, pairs, authenticates and removes accounts and robots in the same tick', async () => {
    const [accounts, robots] = [new Accounts(redis), new Robots(redis)];
    const pairing = new Pairing(redis, robots, new AttemptCounter(redis));
    await Promise.all(
      many.map(async (i) => {
        const { account } = await accounts.create({ email: `${randomUUID()}@example.org` });
        const begun = await pairing.begin({ serial: `SN${i}`, model: 'm', firmware: '1' });
        const approved = await pairing.approve(account, begun.userCode);
        const paired = await pairing.poll(begun.deviceCode);
        assert.ok(typeof paired === 'object');
        assert.equal(paired.robot, approved?.robot);
        assert.equal((await robots.byToken(paired.token))?.account, account);
        assert.deepEqual(
          (await robots.list(account)).map(({ id }) => id),
          [paired.robot],
        );
        assert.deepEqual(await robots.remove(account, paired.robot), { holder: null });
        assert.equal(await robots.byToken(paired.token), null);
      }),
    );
  });

  it('draws pictures of many accounts once each, with their uploads, and finds them again', async () => {
    const failures: Error[] = [];
    const [media, uploads, growing] = [new Media(redis), new Uploads(redis), new GrowingSounds(redis)];
    const jobs = new RenderJobs({ redis, media, uploads, growing, shards: shardsOf(redis), onError: (error) => failures.push(error) });
    const renders = new Renders(redis, media, uploads, growing, jobs);
    let drawn = 0;
    const worker = jobs.work(
      {
        draw: async (_job, sent) => ((drawn += 1), { kind: 'picture', format: 'png', w: 1, h: 1, data: [...sent.values()][0]! }),
        sound: async () => ({ kind: 'sound', format: 'pcm_s16le', rate: 16000, data: Buffer.alloc(2) }),
        speech: () => Promise.reject(new Error('no speech')),
      },
      { scenes: 2, uploads: 2, speech: 2 },
    );
    await worker.ready();
    try {
      const wanted = many.map((i) => {
        const bytes = Buffer.from(`upload ${i}`);
        const job = { kind: 'draw' as const, account: newId('a'), scene: {}, uploads: [sha256(bytes)], formats: ['png' as const], bytesMax: 1000 };
        return { bytes, job: { ...job, hash: renderHash(job) } satisfies DrawJob };
      });
      const obtain = () =>
        Promise.all(
          wanted.flatMap(({ bytes, job }) => [1, 2].map(() => renders.obtain(job, { ttlMs: 60_000, uploads: new Map([[sha256(bytes), bytes]]) }))),
        );
      const refs = await obtain();
      assert.deepEqual(await obtain(), refs);
      assert.equal(drawn, many.length);
      const read = await Promise.all(refs.map((ref) => media.read(ref)));
      for (const [i, bytes] of read.entries()) assert.deepEqual(bytes, wanted[Math.floor(i / 2)]!.bytes);
      assert.deepEqual(failures, []);
    } finally {
      await jobs.close();
    }
  });

  it('counts the media of an account in the budget of its master, which is a third of PERCH_MEDIA_MB', async () => {
    const quota = new MediaQuota(redis, { mb: 30, accountMb: 32 });
    const masters = new Set<string>();
    for (const account of many.map(() => newId('a'))) {
      await quota.reserve(account, 'media', 1000, 60_000);
      const cluster = redis.commands as Cluster;
      const budgets = await Promise.all(
        Array.from({ length: 20 }, (_, i) => sharedKeys.mediaBudget(i)).map(async (key) =>
          (await cluster.zscore(key, `${account}:media`)) === null ? [] : [key],
        ),
      );
      assert.deepEqual(
        budgets.flat().map((key) => masterOf(cluster, key)),
        [masterOf(cluster, accountKeys.quota(account))],
      );
      masters.add(masterOf(cluster, accountKeys.quota(account))!);
      await quota.release(account, 'media');
    }
    assert.equal(masters.size, 3);
    assert.equal((await quota.usageOfAll()).bytesMax, 30 * 2 ** 20);
    assert.equal(new MediaBudget(redis, 30 * 2 ** 20).masterBytes, 10 * 2 ** 20);
    assert.equal(new MediaBudget(redis, 9 * 2 ** 20).masterBytes, 8 * 2 ** 20, 'the least of a master');
  });

  it('sums the media usage of all accounts over the masters', async () => {
    const quota = new MediaQuota(redis, { mb: 30, accountMb: 32 });
    const accounts = Array.from({ length: 20 }, () => newId('a'));
    const { bytes: before } = await quota.usageOfAll();
    await Promise.all(accounts.map((account) => quota.reserve(account, 'media', 1000, 60_000)));
    assert.equal((await quota.usageOfAll()).bytes - before, 20 * 2024);
    await Promise.all(accounts.map((account) => quota.release(account, 'media')));
    assert.equal((await quota.usageOfAll()).bytes, before);
  });

  it('counts one reconnect when the connection to one node is lost and made again', async () => {
    const { reconnects } = redis.vitals;
    const before = reconnects.commands;
    (redis.commands as Cluster).nodes('master')[0]!.disconnect();
    // ioredis reconnects to a node with the next command for it.
    await until(async () => {
      await redis.commands.get(randomUUID()).catch(() => null);
      return reconnects.commands === before + 1;
    });
  });

  it('returns the memory of every master by its address', async () => {
    const memory = await memoryOfMasters(redis);
    const masters = new Set((redis.commands as Cluster).slots.flatMap((nodes) => nodes?.[0] ?? []));
    assert.deepEqual(memory.map(({ master }) => master).toSorted(), [...masters].toSorted());
    for (const { bytes, bytesMax } of memory) assert.ok(bytes > 100_000 && bytesMax === null);
  });

  it('answers busy to an account that has used up its share of renders, and deletes its jobs when the callers leave', async () => {
    const [media, uploads, growing] = [new Media(redis), new Uploads(redis), new GrowingSounds(redis)];
    const jobs = new RenderJobs({
      redis,
      media,
      uploads,
      growing,
      shards: shardsOf(redis),
      onError: () => {},
      share: { jobsMax: 3, pixelsMax: 64e6 },
    });
    const renders = new Renders(redis, media, uploads, growing, jobs);
    const account = newId('a');
    const leave = new AbortController();
    const obtain = (scene: string) => {
      const job = { kind: 'draw' as const, account, scene, uploads: [], formats: ['png' as const], bytesMax: 1000 };
      return renders.obtain({ ...job, hash: renderHash(job) }, { ttlMs: 60_000, signal: leave.signal });
    };
    try {
      const asked = ['1', '2', '3'].map((scene) => obtain(scene).catch(() => null));
      await until(async () => (await jobs.waiting()).scenes === 3);
      await assert.rejects(obtain('4'), { code: 'busy' });
      leave.abort(new Error('hung up'));
      await Promise.all(asked);
      await until(async () => (await jobs.waiting()).scenes === 0);
      assert.equal(await redis.commands.exists(sharedKeys.renderDemand(account, 0)), 0);
    } finally {
      await jobs.close();
    }
  });
});

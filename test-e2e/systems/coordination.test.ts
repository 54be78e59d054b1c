/**
 * The rules of coordination, each with the tests that hold it. Rules that a test of a package or service holds are not tested here again.
 *
 * | rule | held by |
 * |---|---|
 * | 1 an idle robot causes no load on Redis; state asks the instance | here "number of Redis commands"; gateway actions; robot-link handshake |
 * | 2 pub/sub is a hint, a key is the truth | here "loses its subscribers"; store events, renders; gateway wait-calls |
 * | 3 leases: a former holder writes nothing; `not_here` may be retried | store leases; dying; gateway robot-commands; robot-link input |
 * | 4 waits have numbers; a take-over compares them with what is shown | robot-link waits; take-over |
 * | 5 each input is stored once | store events; robot-link input; take-over-races |
 * | 6 event and wait numbers never repeat | store events; here "killed and restarted", "restored from an older copy" |
 * | 7 time is Redis' time | here "wrong clocks"; store api-keys; robot-link command-queue |
 * | 8 the bucket script reads the key's record | store api-keys; gateway wait-calls, events-feed |
 * | 9 equal jobs are one | store renders; here "64 equal pictures" |
 * | 10 everything is bounded | store media, events; here "reaches its picture limit"; robot-link commands |
 * | 11 Redis Cluster works | store and gateway cluster; cluster |
 * | 12 no command is sent to Redis twice | here "repeatedly cuts its connections" |
 * | 13 instances drain | gateway and robot-link drain; dying |
 * | 14 a sound continues after a move | take-over; robot-link sound |
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsRedisServer, redisProcess, until, type LocalRedis } from '@perch/testkit';
import type { Api } from '../fixture/clients/api.js';
import { metric } from '../fixture/telemetry/metric.js';
import { picture } from '../fixture/media/pictures.js';
import { waitArmed, left, right } from '../fixture/robots/question.js';
import { RedisMonitor, type Sent } from '../fixture/telemetry/redis-monitor.js';
import { TestSystem } from '../fixture/system/test-system.js';
import { Traffic } from '../fixture/clients/traffic.js';

const long = process.env['PERCH_TEST_LONG'] === '1';
const question = { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 20 };

interface Read {
  seq: number;
  name: string;
}

describe('coordination (2 gateways, 2 robot-links, 2 renderers on their own Redis)', function () {
  this.timeout(60_000);
  let redis: LocalRedis;
  let system: TestSystem;
  const dir = mkdtempSync(join(tmpdir(), 'perch-coordination-'));
  const crashes: string[] = [];
  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess({ dir, appendOnly: true });
    system = await TestSystem.open({ gateways: 2, links: 2, renderers: 2 }, { redisUrl: redis.url, onCrash: ({ service }) => crashes.push(service) });
  });
  afterEach('no instance ended', async () => {
    await system?.clear();
    assert.deepEqual(crashes, []);
  });
  after(async () => {
    await system?.close();
    await redis?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const read = async (api: Api, id: string, query = ''): Promise<{ events: Read[]; last_seq: number; first_seq: number }> => {
    const { status, body } = await api.get(`/v1/robots/${id}/events${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  /** Read directly from Redis: polling through the API would empty the bucket. */
  const names = async (id: string): Promise<string[]> => (await system.store.events.read(id, {})).events.map(({ name }) => name);
  /** Without `connected`: robots are away while Redis is down for long. */
  const inputNames = async (id: string): Promise<string[]> => (await names(id)).filter((name) => name !== 'connected');
  const reconnected = (): Promise<unknown> =>
    until(
      async () => {
        const { gateways, links, renderers } = system.cluster;
        const ready = await Promise.all([...gateways, ...links, ...renderers].map(async ({ admin }) => (await fetch(`${admin}/readyz`)).ok));
        return ready.every(Boolean);
      },
      { timeoutMs: 15_000, what: 'all instances to be ready' },
    );

  describe('Redis is killed and restarted', () => {
    it('sessions, inputs and waits survive a killed Redis, and event numbers jump and never repeat', async () => {
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      const api = tenant.api();
      const call = api.act(id, 'ask', question);
      await waitArmed(system, id, robot);
      await robot.tap(1, 1);
      await until(async () => (await names(id)).join() === 'connected,tap');
      let seen = await read(api, id);
      for (let round = 0; round < 3; round += 1) {
        await redis.kill('SIGKILL');
        await robot.pat({ heldMs: 100 + round });
        await robot.pressPower();
        await redis.restart();
        const more = await until(
          async () => {
            const page = await read(api, id, `?after=${seen.last_seq}&seconds=5`);
            return page.events.length === 2 ? page : null;
          },
          { timeoutMs: 10_000, what: 'both inputs' },
        );
        assert.deepEqual(
          more.events.map(({ name }) => name),
          ['pat', 'button'],
        );
        assert.ok(more.events[0]!.seq > seen.last_seq + 1, `a jump: ${more.events[0]!.seq} after ${seen.last_seq}`);
        assert.equal(more.events[1]!.seq, more.events[0]!.seq + 1);
        assert.equal(more.last_seq, more.events[1]!.seq);
        seen = more;
      }
      await robot.tap(...right);
      assert.equal((await call).body.answer, 'No');
      await robot.until(({ inputs, screen }) => inputs.acked === inputs.seq && screen.question === null);
      assert.deepEqual(await inputNames(id), ['tap', 'pat', 'button', 'pat', 'button', 'pat', 'button']);
      assert.equal(robot.dials, 1, 'its session stayed');
      assert.deepEqual(robot.violations, []);
    });

    it('calls get 503 service_unavailable while Redis is down, and a tap made meanwhile answers a wait', async () => {
      // The test before leaves a Redis that has just been restarted.
      await reconnected();
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      const api = tenant.api();
      const call = tenant.api(1).act(id, 'menu', { items: ['Tea', 'Coffee'], timeout_s: 20 });
      await waitArmed(system, id, robot);
      await redis.kill('SIGKILL');
      const { status, headers, body } = await api.act(id, 'face', { emotion: 'happy' });
      assert.deepEqual([status, body.code], [503, 'service_unavailable']);
      assert.ok(Number(headers.get('retry-after')) >= 1);
      await robot.tap(...right);
      await redis.restart();
      assert.equal((await call).body.item, 'Coffee');
      await reconnected();
      assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
      assert.deepEqual(await inputNames(id), []);
      assert.equal(robot.dials, 1);
    });
  });

  describe('Redis is restored from an older copy', () => {
    /** Restores Redis to its state before `between`. */
    const goBackOver = async (between: () => Promise<void>): Promise<void> => {
      const copy = mkdtempSync(join(tmpdir(), 'perch-copy-'));
      try {
        cpSync(dir, copy, { recursive: true });
        await between();
        await redis.kill('SIGKILL');
        for (const name of ['appendonlydir', 'appendonly.aof']) rmSync(join(dir, name), { recursive: true, force: true });
        cpSync(copy, dir, { recursive: true });
        await redis.restart();
        await reconnected();
      } finally {
        rmSync(copy, { recursive: true, force: true });
      }
    };

    it('no event and no wait number is used twice after an older copy was restored', async () => {
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      const api = tenant.api();
      await robot.tap(1, 1);
      await until(async () => (await names(id)).length === 2);
      let lastSeq = 0;
      let wait = 0;
      await goBackOver(async () => {
        for (let i = 0; i < 20; i += 1) await robot.tap(2, i);
        await until(async () => (await names(id)).length === 22);
        lastSeq = (await read(api, id)).last_seq;
        const call = api.act(id, 'ask', question);
        wait = await waitArmed(system, id, robot);
        await robot.tap(...left);
        assert.equal((await call).body.outcome, 'answered');
      });
      // A reader that continues gets nothing twice, and the next event shows the gap.
      const again = await read(api, id, `?after=${lastSeq}`);
      assert.deepEqual([again.events, again.last_seq], [[], lastSeq]);
      const poll = read(api, id, `?after=${lastSeq}&seconds=20`);
      await robot.tap(3, 3);
      const page = await poll;
      assert.ok(page.events[0]!.seq > lastSeq + 1, `${page.events[0]!.seq} after ${lastSeq}`);
      assert.equal(page.first_seq, page.events[0]!.seq, 'above after + 1: events are missing');
      const call = api.act(id, 'ask', question);
      assert.ok((await waitArmed(system, id, robot)) > wait);
      await robot.tap(...left);
      assert.equal((await call).body.outcome, 'answered');
      assert.deepEqual(robot.violations, []);
    });

    for (const [what, copied] of [
      ['came', 'away'],
      ['came again', 'held'],
    ] as const) {
      it(`a robot that ${what} after the copy was made is online again at once`, async () => {
        const tenant = await system.tenant();
        const { id, robot } = await tenant.offlineRobot({ instant: true });
        const api = tenant.api();
        await robot.start();
        if (copied === 'away') await robot.stop();
        await until(async () => {
          const lease = await system.store.leases.find(id);
          // A session that has just begun could also be the newer one.
          return lease.state === copied && system.store.clock.now() - lease.since > 1200;
        });
        await goBackOver(async () => {
          if (copied === 'held') await robot.stop();
          await robot.start();
          await robot.tap(1, 1);
          await until(async () => (await names(id)).includes('tap'));
        });
        const since = performance.now();
        await robot.tap(2, 2);
        await until(async () => (await names(id)).includes('tap'), { timeoutMs: 10_000, what: 'the tap' });
        await robot.until(({ online }) => online);
        assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
        assert.ok(performance.now() - since < 8000, `${performance.now() - since} ms`);
        assert.equal((await api.get(`/v1/robots/${id}`)).body.online, true);
      });
    }
  });

  it('a Redis that repeatedly cuts its connections: no command is performed twice, and ok means performed', async () => {
    const { commands } = system.store.connections;
    const traffic = await Traffic.start(system, { robots: 12, inFlight: 3 });
    let cuts = 0;
    const endAt = performance.now() + (long ? 30_000 : 4000);
    await until(
      async () => {
        const before = traffic.counted()['200'] ?? 0;
        const since = performance.now();
        await until(() => performance.now() - since > 100 && traffic.counted()['200']! > before + 10, {
          timeoutMs: 10_000,
          what: 'traffic to go on',
        });
        await commands.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        cuts += 1;
        return performance.now() > endAt;
      },
      { timeoutMs: 60_000 },
    );
    await traffic.stop();
    const { 200: ok = 0, ...others } = traffic.counted();
    assert.ok(cuts >= 15, `${cuts} cuts`);
    assert.ok(ok > 200, JSON.stringify(traffic.counted()));
    assert.ok(traffic.slowestMs < 15_500, `${traffic.slowestMs} ms`);
    for (const code of Object.keys(others))
      assert.ok(['service_unavailable', 'outcome_unknown', 'rate_limited'].includes(code), JSON.stringify(others));
    traffic.check();
    await reconnected();
  });

  it('a Redis that repeatedly loses its subscribers: answers and events arrive all the same', async () => {
    const { commands } = system.store.connections;
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    let after = 1;
    for (let round = 0; round < 5; round += 1) {
      const call = tenant.api(round).act(id, 'ask', { ...question, question: `${round}?` });
      await waitArmed(system, id, robot);
      const poll = tenant.api(round).get(`/v1/robots/${id}/events?after=${after}&seconds=20`);
      await until(async () => (await metric(system.cluster.gateways[round % 2]!.admin, 'perch_gateway_held_calls', { kind: 'poll' })) === 1);
      const since = performance.now();
      const killed = commands.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await robot.tap(1, 1);
      await robot.tap(...left);
      await killed;
      assert.equal((await call).body.outcome, 'answered');
      const { body } = await poll;
      assert.deepEqual(
        body.events.map(({ name }: Read) => name),
        ['tap'],
      );
      after = body.last_seq;
      assert.ok(performance.now() - since < 5000, `${performance.now() - since} ms`);
    }
    await reconnected();
  });

  describe('number of Redis commands', () => {
    let monitor: RedisMonitor;
    before(async () => {
      monitor = await RedisMonitor.open(redis.url);
    });
    after(() => monitor?.close());

    it('an idle robot that reports its sensors costs at most one Redis command in 30 s', async () => {
      const tenant = await system.tenant();
      const robots = await Promise.all(Array.from({ length: 30 }, (_, i) => tenant.robot({}, i)));
      for (const { id } of robots) await until(async () => (await names(id)).length === 1);
      await monitor.settled();
      const since = performance.now();
      const forMs = long ? 65_000 : 6000;
      await until(() => performance.now() - since > forMs, { timeoutMs: forMs + 5000 });
      const sent = monitor.take();
      for (const { id } of robots) {
        const lines = sent.filter(({ line }) => line.includes(id)).map(({ line }) => line.slice(0, 200));
        assert.ok(lines.length <= Math.ceil(forMs / 30_000), lines.join('\n'));
      }
      const all = sent.filter(({ line }) => robots.some(({ id }) => line.includes(id))).length;
      assert.ok(all <= (robots.length * forMs) / 30_000 + robots.length / 2, `${all} commands for ${robots.length} robots in ${forMs} ms`);
      const { body } = await tenant.api().get(`/v1/robots/${robots[0]!.id}`);
      assert.ok(system.store.clock.now() - Date.parse(body.readings_at) < 4000, 'it did report, all the while');
    }).timeout(100_000);

    it('a simple action costs three Redis commands, one of them before it is sent', async () => {
      const tenant = await system.tenant();
      const { id } = await tenant.robot();
      const api = tenant.api();
      for (let i = 0; i < 3; i += 1) await api.act(id, 'face', { emotion: 'happy' });
      const rounds = 20;
      // Instances send commands of their own now and then; an additional one of the action would be in every attempt.
      const tries: string[][] = [];
      for (let tried = 0; tried < 5 && tries.at(-1)?.length !== 3 * rounds; tried += 1) {
        await monitor.settled();
        for (let i = 0; i < rounds; i += 1) {
          assert.equal((await api.act(id, 'face', { emotion: i % 2 ? 'happy' : 'sad' })).status, 200);
        }
        tries.push((await monitor.settled()).map(({ command }) => command));
      }
      const sent = tries.at(-1)!;
      assert.equal(sent.length, 3 * rounds, tries.map((commands) => `${commands.length}: ${commands.join()}`).join('\n'));
      const orders = Array.from({ length: rounds }, (_, i) => sent.slice(3 * i, 3 * i + 3).join());
      assert.deepEqual([...new Set(orders)], ['EVALSHA,PUBLISH,PUBLISH']);
    });

    it('64 equal pictures at once are one render job, and a picture rendered before is none', async () => {
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot();
      const keys = await Promise.all(Array.from({ length: 4 }, () => system.store.apiKeys.create({ account: tenant.account, name: 'more' })));
      const apis = keys.map(({ apiKey }, i) => new (tenant.api().constructor as new (base: string, key: string) => Api)(system.gateway(i), apiKey));
      const drawn = async (): Promise<number> =>
        (await Promise.all(system.cluster.renderers.map(({ admin }) => metric(admin, 'perch_render_jobs_total')))).reduce(
          (sum, jobs) => sum + jobs,
          0,
        );
      const before = await drawn();
      const text = randomUUID();
      const answers = await Promise.all(Array.from({ length: 64 }, (_, i) => apis[i % 4]!.act(id, 'show', { text })));
      const ok = answers.filter(({ status }) => status === 200).length;
      // At most 32 wait for a robot; others get robot_busy.
      for (const { status, body } of answers) assert.ok(status === 200 || body.code === 'robot_busy', JSON.stringify(body));
      assert.ok(ok >= 30, `${ok} shown`);
      assert.equal((await drawn()) - before, 1);
      let sent: Sent[] = [];
      for (let tried = 0; tried < 5 && (tried === 0 || sent.length > 5); tried += 1) {
        await monitor.settled();
        assert.equal((await tenant.api(1).act(id, 'show', { text })).status, 200);
        sent = await monitor.settled();
      }
      assert.equal((await drawn()) - before, 1);
      // A simple action and one command that finds the picture. A robot-link that has not had the bytes reads them.
      assert.ok(sent.length <= 5, sent.map(({ line }) => line.slice(0, 120)).join('\n'));
      assert.ok(!sent.some(({ line }) => line.includes('{jobs}')));
      assert.deepEqual(robot.violations, []);
    });
  });

  it('an account that reaches its picture limit gets an error, and others can still show pictures', async () => {
    const [greedy, other] = [await system.tenant(), await system.tenant()];
    const { id } = await greedy.robot();
    const theirs = await other.robot();
    // Rendered pictures are small and uploads are deleted once rendered, so the account's share is filled beforehand.
    const bytes = Buffer.alloc(4 * 2 ** 20);
    for (let i = 0; i < 7; i += 1)
      await system.store.media.put(greedy.account, `${i}`.repeat(64), { kind: 'sound', format: 'pcm_s16le', rate: 16_000, data: bytes });
    await system.store.media.put(greedy.account, 'a'.repeat(64), {
      kind: 'sound',
      format: 'pcm_s16le',
      rate: 16_000,
      data: bytes.subarray(0, bytes.length - 8 * 1024 - 2000),
    });
    const image = noise();
    const { status, body } = await greedy.api().act(id, 'show', { image });
    assert.deepEqual([status, body.code], [503, 'storage_full'], JSON.stringify(body));
    assert.match(body.error, /32 MB/);
    assert.equal((await greedy.api().act(id, 'face', { emotion: 'happy' })).status, 200, 'what needs no picture works');
    assert.equal((await other.api().act(theirs.id, 'show', { image })).status, 200);
  });
});

describe('coordination of instances with wrong clocks', function () {
  this.timeout(30_000);
  const shifted = (hours: number): Record<string, string> => ({
    NODE_OPTIONS: `--import data:text/javascript,const%20now=Date.now;Date.now=()=>now()+${hours * 3_600_000}`,
  });
  let system: TestSystem;
  before(async () => {
    system = await TestSystem.open({ gateways: 1, links: 0, renderers: 1 });
    await system.cluster.add('gateway', shifted(5));
    await system.cluster.add('robot-link', shifted(-7));
  });
  after(() => system?.close());

  it("keys, buckets, expiries, deadlines and times of events follow Redis' clock when the instances' clocks are wrong", async () => {
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const [good, wrong] = [tenant.api(0), tenant.api(1)];
    assert.equal((await wrong.act(id, 'face', { emotion: 'happy' })).status, 200);
    assert.equal((await wrong.act(id, 'show', { text: randomUUID() })).status, 200);
    const since = performance.now();
    const { body } = await wrong.act(id, 'ask', { ...question, timeout_s: 1 });
    assert.equal(body.outcome, 'timed_out');
    assert.ok(performance.now() - since > 950 && performance.now() - since < 5000, `${performance.now() - since} ms`);
    const call = good.act(id, 'ask', question);
    await waitArmed(system, id, robot);
    await robot.tap(...left);
    assert.equal((await call).body.outcome, 'answered');
    const { body: state } = await wrong.get(`/v1/robots/${id}`);
    const nowMs = system.store.clock.now();
    assert.ok(Math.abs(Date.parse(state.events[0].at) - nowMs) < 20_000, state.events[0].at);
    assert.ok(Math.abs(Date.parse(state.readings_at) - nowMs) < 10_000, state.readings_at);
    const began = performance.now();
    const burst = await Promise.all(Array.from({ length: 60 }, (_, i) => tenant.api(i).act(id, 'face', { emotion: 'happy' })));
    const passed = burst.filter(({ status }) => status === 200).length;
    assert.ok(passed <= 30 + Math.ceil((performance.now() - began) / 100), `${passed} of one bucket passed`);
    assert.ok(
      burst.every(({ status }) => status === 200 || status === 429 || status === 503),
      'full is all that goes wrong',
    );
  });
});

/** Returns a picture of 320x240 that hardly compresses. */
function noise(): string {
  return picture(320, 240, (context) => {
    for (let y = 0; y < 240; y += 2) {
      for (let x = 0; x < 320; x += 2) {
        context.fillStyle = `rgb(${Math.random() * 255},${Math.random() * 255},${Math.random() * 255})`;
        context.fillRect(x, y, 2, 2);
      }
    }
  });
}

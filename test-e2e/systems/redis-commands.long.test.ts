import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { needsRedisServer, redisProcess, until } from '@perch/testkit';
import { Api } from '../fixture/clients/api.js';
import { PageSession } from '../fixture/clients/page-session.js';
import { useSystem } from '../fixture/system/system-under-test.js';
import { left, questionShown } from '../fixture/robots/question.js';
import { metric } from '../fixture/telemetry/metric.js';
import { RedisMonitor, type Sent } from '../fixture/telemetry/redis-monitor.js';

const long = process.env['PERCH_TEST_LONG'] === '1';

describe('use of Redis (2 gateways, 2 robot-links, 2 renderers)', () => {
  const crashes: string[] = [];
  before(function () {
    needsRedisServer(this);
  });
  const system = useSystem({ gateways: 2, links: 2, renderers: 2 }, async () => ({
    redis: await redisProcess(),
    onCrash: ({ service }) => crashes.push(service),
  }));
  afterEach('no instance ended', () => {
    assert.deepEqual(crashes, []);
  });

  /** Read directly from Redis: polling through the API would empty the bucket. */
  const names = async (id: string): Promise<string[]> => (await system.store.events.read(id, {})).events.map(({ name }) => name);

  describe('number of Redis commands', () => {
    let monitor: RedisMonitor;
    before(async () => {
      monitor = await RedisMonitor.open(system.redis!.url);
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
    });

    it('a simple action costs three Redis commands, one of them before it is sent', async () => {
      const tenant = await system.tenant();
      const { id } = await tenant.robot();
      const rounds = 20;
      // Instances send commands of their own now and then; an additional one of the action would be in every attempt.
      const tries: string[][] = [];
      for (let tried = 0; tried < 5 && tries.at(-1)?.length !== 3 * rounds; tried += 1) {
        // Each attempt has a key of its own: one key's calls are limited.
        const { apiKey } = await system.store.apiKeys.create({ account: tenant.account });
        const api = new Api(system.gateway(), apiKey);
        for (let i = 0; i < 3; i += 1) await api.act(id, 'face', { emotion: 'happy' });
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

    it('an action with an Idempotency-Key costs three Redis commands, one of them before it is sent, and less than two with 16 in flight', async () => {
      const tenant = await system.tenant();
      const { id } = await tenant.robot();
      const keyed = (api: Api, emotion: string): Promise<{ status: number }> =>
        api.act(id, 'face', { emotion }, { headers: { 'idempotency-key': randomUUID() } });
      const rounds = 20;
      const { apiKey } = await system.store.apiKeys.create({ account: tenant.account });
      const api = new Api(system.gateway(), apiKey);
      for (let i = 0; i < 3; i += 1) await keyed(api, 'happy');
      await monitor.settled();
      for (let i = 0; i < rounds; i += 1) assert.equal((await keyed(api, i % 2 ? 'happy' : 'sad')).status, 200);
      const sent = (await monitor.settled()).filter(({ line }) => !isActivity(line));
      // Admission, the beginning with the command to the robot-link, and the outcome with the ack to the gateway.
      const ofRobot = sent.filter(({ line }) => line.includes(id)).map(({ command }) => command);
      assert.deepEqual(
        ofRobot,
        Array.from({ length: 3 * rounds }, () => 'EVALSHA'),
      );
      // Instances send commands of their own now and then; one of the action that does not name the robot would be in every round.
      assert.ok(sent.length < 4 * rounds, sent.map(({ command }) => command).join());

      const keys = await Promise.all(Array.from({ length: 16 }, () => system.store.apiKeys.create({ account: tenant.account, name: 'keyed' })));
      const apis = keys.map(({ apiKey }) => new Api(system.gateway(), apiKey));
      for (const api of apis) await keyed(api, 'neutral');
      await monitor.settled();
      const each = 20;
      await Promise.all(
        apis.map(async (api) => {
          for (let i = 0; i < each; i += 1) assert.equal((await keyed(api, i % 2 ? 'happy' : 'sad')).status, 200);
        }),
      );
      const many = (await monitor.settled()).filter(({ line }) => !isActivity(line));
      assert.ok(many.length < 2 * each * apis.length, `${many.length} commands for ${each * apis.length} calls`);
    });

    it('a question whose picture is known costs eight Redis commands and the read of a heartbeat, and its wait is never read', async () => {
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot();
      const question = { question: randomUUID().slice(0, 8), answers: ['Yes', 'No'] };
      const ask = async (api: Api): Promise<void> => {
        const answer = api.act(id, 'ask', question);
        await questionShown(robot);
        await robot.tap(...left);
        const { status, body } = await answer;
        assert.deepEqual([status, body.answer], [200, 'Yes'], JSON.stringify(body));
        await robot.until(({ screen }) => screen.question === null);
      };
      const tries: string[][] = [];
      for (let tried = 0; tried < 5 && tries.at(-1)?.length !== 8; tried += 1) {
        const { apiKey } = await system.store.apiKeys.create({ account: tenant.account });
        const api = new Api(system.gateway(), apiKey);
        await ask(api);
        await monitor.settled();
        await ask(api);
        const sent = (await monitor.settled()).filter(({ line }) => !isActivity(line));
        tries.push(sent.map(({ command }) => command));
      }
      // In the gateway as in its test of round trips, without the heartbeat, which the monitor leaves out; the robot-link arms the wait and settles it.
      const commands = ['EVALSHA', 'EVALSHA', 'EVALSHA', 'EVALSHA', 'EVALSHA', 'EVALSHA', 'SUBSCRIBE', 'UNSUBSCRIBE'];
      assert.deepEqual(tries.at(-1)!.toSorted(), commands, tries.map((all) => `${all.length}: ${all.join()}`).join('\n'));
    });

    it('the activity costs at most 0.05 Redis commands an action with 16 in flight', async () => {
      const tenant = await system.tenant();
      const robots = await Promise.all([tenant.robot(), tenant.robot()]);
      const keys = await Promise.all(Array.from({ length: 16 }, () => system.store.apiKeys.create({ account: tenant.account, name: 'activity' })));
      const apis = keys.map(({ apiKey }, i) => new Api(system.gateway(i % 2), apiKey));
      // The names of keys are read once a minute.
      for (const [i, api] of apis.entries()) await api.act(robots[i % 2]!.id, 'face', { emotion: 'neutral' });
      const stored = async (): Promise<number> => {
        const page = await system.store.activity.read(tenant.account, { after: 0, before: null, limit: 1000, kind: 'calls', accept: () => true });
        return page.entries.length;
      };
      await until(async () => (await stored()) === apis.length, { what: 'the first entries', everyMs: 200 });
      await monitor.settled();
      const each = 25;
      const took = performance.now();
      await Promise.all(
        apis.map(async (api, i) => {
          for (let n = 0; n < each; n += 1)
            assert.equal((await api.act(robots[i % 2]!.id, 'face', { emotion: n % 2 === 0 ? 'happy' : 'sad' })).status, 200);
        }),
      );
      const tookS = (performance.now() - took) / 1000;
      const count = each * apis.length;
      const sent = monitor.take();
      const during = sent.filter(({ line }) => isActivity(line));
      await new Promise((resolve) => setTimeout(resolve, 2500));
      const later = (await monitor.settled()).filter(({ line }) => isActivity(line));
      assert.equal(await stored(), apis.length + count, 'each action is in the activity');
      const all = [...during, ...later];
      // Two gateways write once a second each.
      assert.ok(
        all.length >= 1 && all.length <= 2 * (tookS + 3),
        `${all.length} commands in ${tookS} s: ${all.map(({ line }) => line.slice(0, 120)).join('\n')}`,
      );
      assert.ok(all.length <= 0.05 * count, `${all.length} commands for ${count} actions`);
    });

    it('what robots show is kept with at most 0.05 Redis commands a card with 16 in flight', async () => {
      const tenant = await system.tenant();
      const robots = await Promise.all([tenant.robot(), tenant.robot()]);
      const keys = await Promise.all(Array.from({ length: 16 }, () => system.store.apiKeys.create({ account: tenant.account, name: 'screens' })));
      const apis = keys.map(({ apiKey }, i) => new Api(system.gateway(i % 2), apiKey));
      const text = randomUUID();
      const kept = async (): Promise<number[]> =>
        Promise.all(robots.map(async ({ id }) => (await system.store.screenHistory.list(tenant.account, id)).length));
      for (const [i, api] of apis.entries()) assert.equal((await api.act(robots[i % 2]!.id, 'show', { text })).status, 200);
      await until(async () => (await kept()).join() === '8,8', { what: 'the first cards', everyMs: 200 });
      await monitor.settled();
      const each = 25;
      const took = performance.now();
      await Promise.all(
        apis.map(async (api, i) => {
          for (let n = 0; n < each; n += 1) assert.equal((await api.act(robots[i % 2]!.id, 'show', { text })).status, 200);
        }),
      );
      const tookS = (performance.now() - took) / 1000;
      const during = monitor.take();
      await new Promise((resolve) => setTimeout(resolve, 2500));
      const all = [...during, ...(await monitor.settled())].filter(({ line }) => line.includes(':screens:'));
      assert.deepEqual(await kept(), [20, 20]);
      // Commands of a script are listed beside it.
      const sent = all.filter(({ command }) => command === 'EVALSHA');
      assert.ok(sent.length >= 1 && sent.length <= 2 * (tookS + 3), `${sent.length} commands in ${tookS} s`);
      assert.ok(sent.length <= 0.05 * each * apis.length, `${sent.length} commands for ${each * apis.length} cards`);
      assert.deepEqual([...new Set(all.map(({ command }) => command))], ['EVALSHA'], 'and nothing else for each card');
    });

    it('reading what 30 robots of a list show costs one Redis command and two for each robot-link, with any number of pages', async () => {
      const tenant = await system.tenant();
      const robots = await Promise.all(Array.from({ length: 30 }, (_, i) => tenant.robot({}, i)));
      for (const { id } of robots) await until(async () => (await names(id)).length === 1);
      const path = `shown?${new URLSearchParams(robots.map(({ id }): [string, string] => ['robot', id])).toString()}`;
      const pages = await Promise.all(Array.from({ length: 4 }, () => PageSession.begin(system, tenant.account)));
      const shown = async (page: PageSession): Promise<any[]> => (await page.ask('GET', path)).body.robots;
      await until(async () => (await shown(pages[0]!)).length === robots.length, { what: 'all robots to be known to the gateway', everyMs: 600 });
      const links = 2;
      const cost = async (from: readonly PageSession[]): Promise<string[]> => {
        await pause(600);
        await monitor.settled();
        const read = await Promise.all(from.map(shown));
        assert.deepEqual(
          read.map(({ length }) => length),
          from.map(() => robots.length),
        );
        return (await monitor.settled()).filter(({ line }) => !isActivity(line)).map(({ command }) => command);
      };
      // Instances send commands of their own now and then, and a reply may be split over two iterations of an event loop.
      const least = async (from: readonly PageSession[]): Promise<string[]> =>
        [await cost(from), await cost(from), await cost(from)].toSorted((a, b) => a.length - b.length)[0]!;
      const one = await least(pages.slice(0, 1));
      assert.ok(one.length <= 1 + 2 * links, one.join());
      const four = await least(pages);
      assert.ok(four.length <= pages.length + 2 * links, four.join());
    });

    it('64 equal pictures at once are one render job, and a picture rendered before is none', async () => {
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot();
      const keys = await Promise.all(Array.from({ length: 4 }, () => system.store.apiKeys.create({ account: tenant.account, name: 'more' })));
      const apis = keys.map(({ apiKey }, i) => new Api(system.gateway(i), apiKey));
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
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function isActivity(line: string): boolean {
  return line.includes(':activity') || line.includes(':usage:') || line.includes(':screens:');
}

/** The main paths on a Redis Cluster of three masters, which differs in where keys, channels and scripts are. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { needsRedisServer, redisCluster, until, type LocalRedisCluster } from '@perch/testkit';
import { questionShown, waitArmed, left, right } from '../fixture/robots/question.js';
import { useSystem } from '../fixture/system/system-under-test.js';
import { Traffic } from '../fixture/clients/traffic.js';
import { MovableRobot } from '../fixture/robots/movable-robot.js';

const question = { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 20 };

describe('on a Redis Cluster (2 gateways, 2 robot-links, 2 renderers)', () => {
  let redis: LocalRedisCluster;
  before(async function () {
    needsRedisServer(this);
    redis = await redisCluster();
  });
  const system = useSystem({ gateways: 2, links: 2, renderers: 2 }, () => ({ redis: redis.url }));
  afterEach('no service said that it was at fault', async () => {
    for (const link of [...system.cluster.links]) if (!link.running) await system.cluster.replace(link);
    assert.deepEqual(system.errors.splice(0), []);
  });
  after(() => redis?.stop());

  it('on a Redis Cluster every action succeeds for robots in all slots', async () => {
    await Promise.all(
      Array.from({ length: 9 }, async (_, i) => {
        const tenant = await system.tenant();
        const { id, robot } = await tenant.robot({ instant: true }, i);
        const api = tenant.api(i);
        for (const [action, args] of [
          ['show', { text: randomUUID() }],
          ['show', { clear: true }],
          ['say', { text: 'Hello' }],
          ['face', { emotion: 'happy' }],
          ['move', { yaw: 10 }],
          ['leds', { color: 'red' }],
          ['sound', { notes: `C4:${100 + i}` }],
          ['command', { command: 'brightness', args: { pct: 50 } }],
          ['state', {}],
          ['events', {}],
        ] as const) {
          const { status, body } = await api.act(id, action, args);
          assert.equal(status, 200, `${action}: ${JSON.stringify(body)}`);
        }
        const { body } = await tenant.api(i + 1).get('/v1/robots');
        assert.deepEqual(
          body.robots.map(({ id: listed, online }: { id: string; online: boolean }) => [listed, online]),
          [[id, true]],
        );
        assert.deepEqual(robot.violations, []);
      }),
    );
  });

  it('on a Redis Cluster a wait is answered by a tap, times out, is replaced on another gateway, is cancelled by a hang-up, and one of several at once wins', async () => {
    await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const tenant = await system.tenant();
        const { id, robot } = await tenant.robot({ instant: true }, i);
        const [api, other] = [tenant.api(i), tenant.api(i + 1)];
        const answered = api.act(id, 'ask', question);
        await waitArmed(system, id, robot);
        await robot.tap(...right);
        assert.equal((await answered).body.answer, 'No');
        assert.equal((await other.act(id, 'say', { text: 'Thanks' })).status, 200);

        assert.equal((await api.act(id, 'menu', { items: ['a', 'b'], timeout_s: 0.3 })).body.outcome, 'timed_out');

        const older = api.act(id, 'ask', question);
        // Waits until it is armed: the menu may not have been removed yet.
        const old = await waitArmed(system, id, robot);
        const newer = other.act(id, 'ask', { ...question, question: 'Again?' });
        assert.equal((await older).body.outcome, 'replaced');
        await questionShown(robot, `w${old}`);
        await waitArmed(system, id, robot);
        await robot.tap(...left);
        assert.equal((await newer).body.outcome, 'answered');

        const hangUp = new AbortController();
        const lost = api.act(id, 'clickmap', { regions: [{ id: 'all', rect: [0, 0, 320, 240] }] }, { signal: hangUp.signal });
        const number = await waitArmed(system, id, robot);
        hangUp.abort();
        await robot.tap(5, 5);
        await assert.rejects(lost);
        // The wait may have ended before the tap reaches the robot-link.
        const tookTap = async (): Promise<number> => {
          const answered = (await system.store.waits.read(id, number))?.outcome?.outcome === 'answered' ? 1 : 0;
          return answered + (await api.get(`/v1/robots/${id}/events?names=tap`)).body.events.length;
        };
        await until(async () => (await system.store.waits.read(id, number))?.outcome);
        await until(async () => (await tookTap()) > 0, { what: 'the tap to be an answer that nobody read, or an event' });
        assert.equal(await tookTap(), 1);
        assert.deepEqual(robot.violations, []);
      }),
    );
  });

  it('on a Redis Cluster events reach polls on both gateways, each once, in order', async () => {
    await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const tenant = await system.tenant();
        const { id, robot } = await tenant.robot({ instant: true }, i);
        await until(async () => (await system.store.events.read(id, {})).lastSeq === 1);
        const polls = [0, 1].map((gateway) => tenant.api(gateway).get(`/v1/robots/${id}/events?after=1&seconds=20`));
        await robot.pat();
        for (const poll of polls)
          assert.deepEqual(
            (await poll).body.events.map(({ seq, name }: { seq: number; name: string }) => [seq, name]),
            [[2, 'pat']],
          );
        for (let n = 0; n < 10; n += 1) await robot.tap(n, i);
        await robot.until(({ inputs }) => inputs.acked === inputs.seq);
        const { body } = await tenant.api().get(`/v1/robots/${id}/events?after=2`);
        assert.deepEqual(
          body.events.map(({ seq, data }: { seq: number; data: { x: number } }) => [seq, data.x]),
          Array.from({ length: 10 }, (__, n) => [n + 3, n]),
        );
      }),
    );
  });

  it('on a Redis Cluster a moving robot takes its wait along, and a tap in between answers it once', async () => {
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const tenant = await system.tenant();
        const { id, robot, proxy } = await MovableRobot.start(tenant, { instant: true });
        const call = tenant.api().act(id, 'ask', question);
        await waitArmed(system, id, robot);
        await robot.look();
        robot.touchDown(...left);
        const before = robot.session;
        proxy.switchTo(system.link(1));
        proxy.cut();
        robot.touchUp(...left, 90);
        await robot.until(({ session }) => session !== null && session !== before);
        assert.equal((await call).body.answer, 'Yes');
        await robot.until(({ inputs, screen }) => inputs.acked === inputs.seq && screen.question === null);
        assert.deepEqual(
          (await system.store.events.read(id, {})).events.map(({ name }) => name).filter((name) => name !== 'connected'),
          [],
        );
      }),
    );
  });

  it('on a Redis Cluster a bucket of 30 lets 30 of 100 calls pass, on both gateways', async () => {
    const tenant = await system.tenant();
    const { id } = await tenant.robot();
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => tenant.api(i).act(id, 'events')));
    const passed = answers.filter(({ status }) => status === 200).length;
    assert.ok(passed >= 30 && passed <= 30 + Math.ceil((performance.now() - began) / 100), `${passed} passed`);
  });

  it('on a Redis Cluster a robot-link that drains under load performs what it accepted, and its robots move to another', async () => {
    const traffic = await Traffic.start(system, { robots: 10, inFlight: 4, ackLateMs: 200 });
    await until(() => traffic.records.length > 40);
    for (const { proxy } of traffic.movableRobots) proxy.switchTo(system.link(1));
    const ending = await system.cluster.links[0]!.stop();
    assert.equal(ending.code, 0);
    const before = traffic.records.length;
    await until(() => traffic.records.length > before + 80);
    await traffic.stop();
    assert.deepEqual(Object.keys(traffic.counted()), ['200'], JSON.stringify(traffic.counted()));
    traffic.check();
  });

  it('on a Redis Cluster killing a robot-link under load performs nothing twice, every call is answered in bounded time, and its robots reconnect', async () => {
    const traffic = await Traffic.start(system, { robots: 10, inFlight: 4, ackLateMs: 200 });
    await until(() => traffic.records.length > 40);
    for (const { proxy } of traffic.movableRobots) proxy.switchTo(system.link(1));
    const [killed] = system.cluster.links;
    killed!.signal('SIGKILL');
    await killed!.ended;
    system.errors.splice(0);
    await Promise.all(traffic.movableRobots.map(({ robot }) => robot.until(({ lastClosed, online }) => lastClosed !== null && online)));
    const before = traffic.records.length;
    await until(() => traffic.records.length > before + 80);
    await traffic.stop();
    for (const code of Object.keys(traffic.counted()))
      assert.ok(['200', 'outcome_unknown', 'robot_offline'].includes(code), JSON.stringify(traffic.counted()));
    assert.ok(traffic.slowestMs < 15_500, `${traffic.slowestMs} ms`);
    traffic.check();
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`on a Redis Cluster the first call on either gateway finds a robot that moved while no calls were made (${signal})`, async () => {
      const tenant = await system.tenant();
      const { id, robot, proxy } = await MovableRobot.start(tenant);
      for (const i of [0, 1]) assert.equal((await tenant.api(i).act(id, 'move', { yaw: i })).status, 200);
      proxy.switchTo(system.link(1));
      const [link] = system.cluster.links;
      link!.signal(signal);
      await link!.ended;
      system.errors.splice(0);
      await robot.until(({ online, lastClosed }) => online && lastClosed !== null);
      const since = performance.now();
      await until(() => performance.now() - since > 300);
      for (const i of [0, 1]) {
        const { status, body } = await tenant.api(i).act(id, 'move', { yaw: 10 + i });
        assert.deepEqual([status, body.yaw], [200, 10 + i], JSON.stringify(body));
      }
      assert.deepEqual(
        robot.commands.map(({ args }) => args['yaw']),
        [0, 1, 10, 11],
      );
    });
  }

  it('on a Redis Cluster a call with an Idempotency-Key is performed once over both gateways, and its question is shared and outlives a hang-up', async () => {
    await Promise.all(
      Array.from({ length: 4 }, async (_, i) => {
        const tenant = await system.tenant();
        const { id, robot } = await tenant.robot({ instant: true }, i);
        const headers = { 'idempotency-key': randomUUID() };
        const moves = await Promise.all(Array.from({ length: 8 }, (_, n) => tenant.api(n).act(id, 'move', { yaw: 10 }, { headers })));
        for (const { status, body } of moves) assert.deepEqual([status, body], [200, moves[0]!.body]);
        assert.equal(robot.commands.filter(({ name }) => name === 'head.move').length, 1);

        const asks = { 'idempotency-key': randomUUID() };
        const hangUp = new AbortController();
        const first = tenant.api(0).act(id, 'ask', question, { headers: asks, signal: hangUp.signal });
        await waitArmed(system, id, robot);
        hangUp.abort();
        await assert.rejects(first);
        const back = tenant.api(1).act(id, 'ask', question, { headers: asks });
        await robot.tap(...left);
        assert.equal((await back).body.answer, 'Yes');
        assert.equal(robot.commands.filter(({ name }) => name === 'screen.show').length, 1);
      }),
    );
  });
});

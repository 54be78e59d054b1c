/** Every way for an instance to exit or stop in use: SIGTERM, SIGKILL, SIGSTOP. */
import assert from 'node:assert/strict';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { needsRealRedis, redisUrl, until } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { questionShown, waitArmed, left } from '../fixture/robots/question.js';
import { TestSystem } from '../fixture/system/test-system.js';
import { Traffic, type TrafficOptions } from '../fixture/clients/traffic.js';
import { MovableRobot } from '../fixture/robots/movable-robot.js';

const question = { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 30 };

const steady: TrafficOptions = { robots: 25, inFlight: 8, ackLateMs: 400 };

describe('ending instances (2 gateways, 2 robot-links, 2 renderers)', function () {
  this.timeout(120_000);
  let system: TestSystem;
  const crashes: string[] = [];
  before(async function () {
    needsRealRedis(this, await redisUrl(), 'the speed for 200 calls in flight');
    system = await TestSystem.open(
      { gateways: 2, links: 2, renderers: 2 },
      { onCrash: ({ service }, { signal }) => crashes.push(`${service} ${signal}`) },
    );
  });
  afterEach(async () => {
    await system?.clear();
    // The next test starts with all instances again.
    const { gateways, links, renderers } = system.cluster;
    for (const instance of [...gateways, ...links, ...renderers]) if (!instance.running) await system.cluster.replace(instance);
  });
  after(() => system?.close());

  const answered = (traffic: Traffic, more: number): Promise<unknown> => {
    const before = traffic.records.length;
    return until(() => traffic.records.length >= before + more, {
      timeoutMs: 20_000,
      what: `${more} more answers, after ${JSON.stringify(traffic.counted())}`,
    });
  };
  const start = async (options = steady): Promise<Traffic> => {
    const traffic = await Traffic.start(system, options);
    await answered(traffic, options.robots * 2);
    return traffic;
  };
  /** Leads robots that dial from now on to robot-link `i`. */
  const dialsGoTo = (traffic: Traffic, i: number): void => {
    for (const { proxy } of traffic.movableRobots) proxy.switchTo(system.link(i));
  };

  describe('SIGTERM with 200 calls in flight', () => {
    it('a draining robot-link moves its robots with 4009, and nothing that was accepted fails: commands, a wait, a sound', async () => {
      const traffic = await start();
      const tenant = await system.tenant();
      const asking = await MovableRobot.start(tenant, { instant: true });
      const playing = await MovableRobot.start(tenant);
      const call = tenant.api().act(asking.id, 'ask', question);
      await waitArmed(system, asking.id, asking.robot);
      assert.equal((await tenant.api().act(playing.id, 'sound', { notes: 'C4:4000' })).status, 200);
      dialsGoTo(traffic, 1);
      for (const { proxy } of [asking, playing]) proxy.switchTo(system.link(1));
      assert.ok(traffic.inFlight >= 150, `${traffic.inFlight} in flight`);

      const ending = await system.cluster.links[0]!.stop();
      assert.deepEqual([ending.code, ending.signal], [0, null]);
      await answered(traffic, 400);
      await traffic.stop();
      assert.deepEqual(Object.keys(traffic.counted()), ['200'], JSON.stringify(traffic.counted()));
      // 1.8 s if nothing stalls.
      assert.ok(traffic.slowestMs < 10_000, `${traffic.slowestMs} ms`);
      for (const { robot } of [...traffic.movableRobots, asking, playing]) assert.equal(robot.lastClosed?.code, 4009);
      traffic.check();

      await asking.robot.tap(...left);
      assert.equal((await call).body.outcome, 'answered');
      await playing.robot.until(({ sounds }) => sounds[0]?.done !== null);
      assert.deepEqual([playing.robot.sounds[0]?.done, playing.robot.sounds[0]?.gaps, playing.robot.sounds.length], ['end', 0, 1]);
      assert.deepEqual([...asking.robot.violations, ...playing.robot.violations], []);
    });

    it('a draining gateway answers all calls it accepted; later ones are rejected and have no effect', async () => {
      const traffic = await start();
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      const held = tenant.api(0).act(id, 'ask', question);
      await waitArmed(system, id, robot);
      const poll = tenant.api(0).get(`/v1/robots/${id}/events?after=1&seconds=30`);
      await until(async () => (await metric(system.cluster.gateways[0]!.admin, 'perch_gateway_held_calls', { kind: 'poll' })) === 1);

      const stopping = system.cluster.gateways[0]!.stop();
      const polled = await poll;
      assert.deepEqual([polled.status, polled.body.events, polled.body.last_seq], [200, [], 1], 'a poll is answered at once with what there is');
      // The wait continues, and the person has time.
      await answered(traffic, 200);
      await robot.tap(...left);
      assert.equal((await held).body.outcome, 'answered');
      const ending = await stopping;
      assert.deepEqual([ending.code, ending.signal], [0, null]);
      await answered(traffic, 200);
      await traffic.stop();
      const { 200: ok, ...others } = traffic.counted();
      assert.ok(ok! > 400);
      // The kernel resets a connection that arrives between the last accept and the end of listening: no service has seen its call.
      for (const code of Object.keys(others)) assert.ok(['refused', 'draining', 'broken'].includes(code), JSON.stringify(others));
      traffic.check(['broken']);
    });

    it('a draining renderer finishes its jobs and another continues: every picture is shown', async () => {
      const traffic = await start({ ...pictures, robots: 20, inFlight: 3, ackLateMs: 100 });
      const ending = await system.cluster.renderers[0]!.stop();
      assert.deepEqual([ending.code, ending.signal], [0, null]);
      await answered(traffic, 120);
      await traffic.stop();
      assert.deepEqual(Object.keys(traffic.counted()), ['200'], JSON.stringify(traffic.counted()));
      traffic.check();
    });

    it('a draining gateway holds its waits for PERCH_DRAIN_MS; then they get 503 draining and their questions disappear', async () => {
      const gateway = await system.cluster.add('gateway', { PERCH_DRAIN_MS: '1500' });
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot();
      const call = tenant.api().at(gateway.address).act(id, 'ask', question);
      await waitArmed(system, id, robot);
      const since = performance.now();
      const stopping = gateway.stop();
      const { status, headers, body } = await call;
      const tookMs = performance.now() - since;
      assert.deepEqual([status, body.code], [503, 'draining']);
      assert.ok(Number(headers.get('retry-after')) >= 1);
      assert.ok(tookMs > 1400 && tookMs < 6000, `${tookMs} ms`);
      await robot.until(({ screen }) => screen.question === null);
      assert.equal((await stopping).code, 0);
      assert.equal((await tenant.api(1).act(id, 'say', { text: 'Free' })).status, 200);
    });
  });

  describe('SIGKILL with 200 calls in flight', () => {
    it('after a robot-link was killed every call is answered in bounded time, nothing is performed twice, and its robots reconnect elsewhere', async () => {
      const traffic = await start();
      dialsGoTo(traffic, 1);
      const since = performance.now();
      system.cluster.links[0]!.signal('SIGKILL');
      await Promise.all(
        traffic.movableRobots.map(({ robot }) => robot.until(({ lastClosed, online }) => lastClosed !== null && online, { timeoutMs: 20_000 })),
      );
      await answered(traffic, 200);
      const backAt = performance.now();
      await answered(traffic, 300);
      await traffic.stop();
      for (const code of Object.keys(traffic.counted(since)))
        assert.ok(['200', 'outcome_unknown', 'robot_offline'].includes(code), JSON.stringify(traffic.counted(since)));
      assert.deepEqual(
        Object.keys(traffic.counted(backAt + 2500)).filter((code) => code !== '200'),
        [],
        'all is well again',
      );
      assert.ok(traffic.slowestMs < 8000, `${traffic.slowestMs} ms`);
      traffic.check();
    });

    it("after a gateway was killed the other one serves its calls, nothing is performed twice, and the dead one's wait ends by itself", async () => {
      const traffic = await start();
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot();
      const lost = tenant.api(0).act(id, 'ask', { ...question, timeout_s: 2 });
      lost.catch(() => {});
      await questionShown(robot);
      const since = performance.now();
      system.cluster.gateways[0]!.signal('SIGKILL');
      await assert.rejects(lost);
      await answered(traffic, 400);
      await traffic.stop();
      for (const code of Object.keys(traffic.counted(since)))
        assert.ok(['200', 'broken', 'refused'].includes(code), JSON.stringify(traffic.counted(since)));
      traffic.check();
      await robot.until(({ screen }) => screen.question === null, { timeoutMs: 4000 });
      assert.equal((await tenant.api(1).act(id, 'say', { text: 'Free' })).status, 200);
    });

    it('a newer wait on another gateway replaces the wait of a killed gateway', async () => {
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      const lost = tenant.api(0).act(id, 'ask', question);
      lost.catch(() => {});
      const old = await questionShown(robot);
      system.cluster.gateways[0]!.signal('SIGKILL');
      await assert.rejects(lost);
      const call = tenant.api(1).act(id, 'ask', { ...question, question: 'Again?' });
      await questionShown(robot, old);
      await waitArmed(system, id, robot);
      await robot.tap(...left);
      assert.equal((await call).body.outcome, 'answered');
    });

    it('after a renderer was killed the other one renders its jobs within the time that callers wait', async () => {
      const traffic = await start({ ...pictures, robots: 20, inFlight: 3 });
      system.cluster.renderers[0]!.signal('SIGKILL');
      await answered(traffic, 200);
      await traffic.stop();
      // On a slow machine its two jobs may finish too late, and their callers get an error.
      const { 200: ok = 0, render_failed: late = 0, ...others } = traffic.counted();
      assert.ok(ok >= 200 && late <= 2, JSON.stringify(traffic.counted()));
      assert.deepEqual(others, {});
      assert.ok(traffic.slowestMs < 16_500, `${traffic.slowestMs} ms`);
      traffic.check();
    });
  });

  describe('SIGSTOP for longer than the lease', () => {
    it('a robot-link that resumes after its leases expired writes nothing: the robot stays where it moved, and input it had received is stored once', async () => {
      const tenant = await system.tenant();
      const { id, robot, proxy } = await MovableRobot.start(tenant, { instant: true });
      const api = tenant.api();
      const call = api.act(id, 'ask', question);
      await waitArmed(system, id, robot);
      const [frozen] = system.cluster.links;
      frozen!.signal('SIGSTOP');
      try {
        // Into the socket of the stopped robot-link.
        await robot.tap(5, 5);
        await robot.pat();
        await robot.tap(...left);
        const late = api.act(id, 'face', { emotion: 'sad' });
        await until(async () => (await system.store.instances.health([frozen!.instance])).get(frozen!.instance) === 'gone', { timeoutMs: 10_000 });
        const before = robot.session;
        proxy.switchTo(system.link(1));
        robot.faults.redial();
        await robot.until(({ online, session }) => online && session !== before);
        assert.equal((await call).body.outcome, 'answered', 'the new holder has the tap');
        await robot.until(({ inputs }) => inputs.acked === inputs.seq);
        const answer = await late;
        assert.ok(
          answer.status === 200 || answer.body.code === 'outcome_unknown' || answer.body.code === 'robot_offline',
          JSON.stringify(answer.body),
        );
        assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
      } finally {
        frozen!.signal('SIGCONT');
      }
      const { session } = robot;
      await until(async () => (await system.store.instances.health([frozen!.instance])).get(frozen!.instance) === 'alive', { timeoutMs: 10_000 });
      // It has resumed: it has read its socket and knows that another robot-link holds the robot.
      await until(async () => (await metric(frozen!.admin, 'perch_link_sessions')) === 0, { timeoutMs: 10_000 });
      assert.deepEqual(await system.store.leases.find(id).then(({ state, session: holder }) => [state, holder]), ['held', session]);
      assert.equal(robot.session, session, 'nobody sent it away');
      assert.equal((await api.act(id, 'move', { yaw: 11 })).status, 200);
      const events = (await api.get(`/v1/robots/${id}/events`)).body.events.map(({ name }: { name: string }) => name);
      assert.deepEqual(
        events.filter((name: string) => name !== 'connected'),
        ['tap', 'pat'],
      );
      assert.deepEqual(robot.face.emotion, 'happy');
      assert.deepEqual(robot.violations, []);
    });
  });

  describe('SIGSTOP for a while', () => {
    it('a gateway that resumes answers its wait with the outcome of meanwhile', async () => {
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      const call = tenant.api(0).act(id, 'ask', question);
      const number = await waitArmed(system, id, robot);
      const [frozen] = system.cluster.gateways;
      frozen!.signal('SIGSTOP');
      try {
        await robot.tap(...left);
        await until(async () => (await system.store.waits.read(id, number))?.outcome?.outcome === 'answered');
        assert.equal((await tenant.api(1).act(id, 'say', { text: 'Thanks' })).status, 200);
        const stoppedAt = performance.now();
        await until(() => performance.now() - stoppedAt > 1500);
      } finally {
        frozen!.signal('SIGCONT');
      }
      assert.equal((await call).body.outcome, 'answered');
    });

    it('while a renderer is stopped the other one renders its jobs, and nothing fails when it resumes', async () => {
      const traffic = await start({ ...pictures, robots: 20, inFlight: 3 });
      const [frozen] = system.cluster.renderers;
      // Longer than the time limit of a Redis command and shorter than the lock of a job; then until the other renderer had to take over.
      const naps = [1200, 2500].map((ms) => () => setTimeoutAsync(ms));
      for (const nap of [...naps, () => answered(traffic, 200)]) {
        frozen!.signal('SIGSTOP');
        try {
          await nap();
        } finally {
          frozen!.signal('SIGCONT');
        }
        await answered(traffic, 30);
      }
      await answered(traffic, 60);
      await traffic.stop();
      assert.deepEqual(Object.keys(traffic.counted()), ['200'], JSON.stringify(traffic.counted()));
      assert.ok(traffic.slowestMs < 15_000, `${traffic.slowestMs} ms`);
      traffic.check();
    });

    it('a robot-link that is stopped for less than its lease keeps its robots and performs the calls made meanwhile', async () => {
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      const api = tenant.api();
      assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
      const [frozen] = system.cluster.links;
      const { dials } = robot;
      let moved: ReturnType<typeof api.act>;
      frozen!.signal('SIGSTOP');
      try {
        const stoppedAt = performance.now();
        moved = api.act(id, 'move', { yaw: 12 });
        await robot.tap(1, 1);
        await until(() => performance.now() - stoppedAt > 2000);
      } finally {
        frozen!.signal('SIGCONT');
      }
      assert.equal((await moved).status, 200);
      assert.equal(robot.head.yaw, 12);
      await robot.until(({ inputs }) => inputs.acked === inputs.seq);
      assert.equal(robot.dials, dials);
      assert.deepEqual(robot.violations, []);
    });
  });

  describe('after all tests', () => {
    it('no instance exited unless a test killed it', () => {
      assert.deepEqual([...new Set(crashes)].toSorted(), ['gateway SIGKILL', 'renderer SIGKILL', 'robot-link SIGKILL']);
    });
  });
});

/** Every call shows a picture that was never rendered before. */
const pictures = {
  action: 'show',
  args: (text: string) => ({ text, title: 'A picture of its own' }),
  textOf: null,
};

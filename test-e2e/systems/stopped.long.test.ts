import assert from 'node:assert/strict';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { until } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { waitArmed, left } from '../fixture/robots/question.js';
import { MovableRobot } from '../fixture/robots/movable-robot.js';
import { onEndingInstances, pictures, question } from '../fixture/system/ending-instances.js';

onEndingInstances('stopped instances', [], ({ system, answered, start }) => {
  it('a robot-link that resumes after its leases expired writes nothing: the robot stays where it moved, and input it had received is stored once', async () => {
    const tenant = await system().tenant();
    const { id, robot, proxy } = await MovableRobot.start(tenant, { instant: true });
    const api = tenant.api();
    const call = api.act(id, 'ask', question);
    await waitArmed(system(), id, robot);
    const [frozen] = system().cluster.links;
    frozen!.signal('SIGSTOP');
    try {
      // Into the socket of the stopped robot-link.
      await robot.tap(5, 5);
      await robot.pat();
      await robot.tap(...left);
      const late = api.act(id, 'face', { emotion: 'sad' });
      await until(async () => (await system().store.instances.health([frozen!.instance])).get(frozen!.instance) === 'gone');
      const before = robot.session;
      proxy.switchTo(system().link(1));
      robot.faults.redial();
      await robot.until(({ online, session }) => online && session !== before);
      assert.equal((await call).body.outcome, 'answered', 'the new holder has the tap');
      await robot.until(({ inputs }) => inputs.acked === inputs.seq);
      const answer = await late;
      assert.ok(answer.status === 200 || answer.body.code === 'outcome_unknown' || answer.body.code === 'robot_offline', JSON.stringify(answer.body));
      assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
    } finally {
      frozen!.signal('SIGCONT');
    }
    const { session } = robot;
    await until(async () => (await system().store.instances.health([frozen!.instance])).get(frozen!.instance) === 'alive');
    // It has resumed: it has read its socket and knows that another robot-link holds the robot.
    await until(async () => (await metric(frozen!.admin, 'perch_link_sessions')) === 0);
    assert.deepEqual(
      await system()
        .store.leases.find(id)
        .then(({ state, session: holder }) => [state, holder]),
      ['held', session],
    );
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

  it('a gateway that resumes answers its wait with the outcome of meanwhile', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const call = tenant.api(0).act(id, 'ask', question);
    const number = await waitArmed(system(), id, robot);
    const [frozen] = system().cluster.gateways;
    frozen!.signal('SIGSTOP');
    try {
      await robot.tap(...left);
      await until(async () => (await system().store.waits.read(id, number))?.outcome?.outcome === 'answered');
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
    const [frozen] = system().cluster.renderers;
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
    traffic.check();
  });

  it('a robot-link that is stopped for less than its lease keeps its robots and performs the calls made meanwhile', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const api = tenant.api();
    assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
    const [frozen] = system().cluster.links;
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

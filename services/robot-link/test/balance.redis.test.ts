import assert from 'node:assert/strict';
import { privateRedis, TcpBalancer, until, type BalancedServer, type LocalRedis } from '@perch/testkit';
import { balancePace } from '../src/balance/balance.js';
import { leftHalf, rightHalf, Stage, type Instance, type TestRobot } from './stage.js';

/** As deployed, but quick. */
const pace = { ...balancePace, settleMs: 1500, robotsPerS: 3, stayMs: 300, returnedStayMs: 1000 };

describe('robot-links behind a load balancer', () => {
  let redis: LocalRedis;
  let stage: Stage;
  let balancer: TcpBalancer;
  let servers: BalancedServer[];

  // No other test's robot-links may be on this Redis: they would take part.
  before(async () => (redis = await privateRedis()));
  after(() => redis.stop());
  beforeEach(async () => {
    stage = await Stage.open(redis.url);
    servers = [];
    balancer = await TcpBalancer.open({ servers: () => servers, policy: 'leastconn' });
  });
  afterEach(async () => {
    await stage.close();
    await balancer.close();
  });

  async function link(): Promise<Instance> {
    const instance = await stage.instance({ balancePace: pace });
    const { hostname: host, port } = new URL(instance.app.address);
    servers.push({ host, port: Number(port) });
    return instance;
  }

  function robots(count: number): Promise<TestRobot[]> {
    const url = `ws://127.0.0.1:${balancer.port}/robot/v1/link`;
    return Promise.all(Array.from({ length: count }, () => stage.started(url, { reconnect: { minMs: 1000, maxMs: 60_000 } })));
  }

  const moved = async ({ registry }: Instance): Promise<number> =>
    Number(/perch_link_sessions_moved_total (\d+)/.exec(await registry.metrics())?.[1]);

  it('even out after one joins: robots are sent on with 4009, come back at once, and no reader sees one away', async () => {
    const first = await link();
    const all = await robots(12);
    for (const made of all) await stage.events(made, ['connected']);
    const closed: number[] = [];
    for (const { robot } of all) robot.on('closed', ({ code, retryMs }) => void closed.push(code, retryMs! <= 500 ? 0 : 1));
    const second = await link();
    await until(() => second.app.sessionCount >= 5 && first.app.sessionCount <= 7, { timeoutMs: 15_000 });
    const count = await moved(first);
    await until(() => all.every(({ robot }) => robot.online));
    assert.deepEqual([...new Set(closed)].toSorted(), [0, 4009]);
    assert.ok(count >= 5 && count <= 8, `${count} robots were sent on`);
    assert.equal(await moved(second), 0);
    for (const made of all) assert.deepEqual(await stage.eventNames(made), ['connected']);
    for (const { robot } of all) assert.deepEqual(robot.violations, []);
  });

  it('never send on a robot with an open wait, a sound, a touch or a command that is not finished', async () => {
    const first = await link();
    const [asked, playing, touched, commanded, ...idle] = (await robots(10)) as [TestRobot, TestRobot, TestRobot, TestRobot, ...TestRobot[]];
    await stage.gate.wait(asked, { kind: 'ask', targets: [leftHalf, rightHalf], picture: await stage.picture() });
    await asked.robot.until(({ screen }) => screen.question !== null);
    const { ref } = await stage.sound(20);
    assert.equal((await stage.gate.command(playing, { name: 'audio.play', args: {}, sound: ref })).t, 'ack');
    touched.robot.input('touch_down', { x: 10, y: 10 });
    commanded.robot.faults.ackLate(20_000);
    void stage.gate.command(commanded, { name: 'face', args: { emotion: 'happy' } }, { ttlMs: 30_000 }).catch(() => {});
    await commanded.robot.until(({ commands }) => commands.length === 1);
    const busy = [asked, playing, touched, commanded];
    const sessions = busy.map(({ robot }) => robot.session);
    const second = await link();
    await until(() => second.app.sessionCount >= 5, { timeoutMs: 15_000 });
    assert.deepEqual(
      busy.map(({ robot }) => robot.session),
      sessions,
    );
    assert.ok(idle.filter(({ robot }) => robot.dials === 2).length >= 5);
    assert.equal(first.app.sessionCount + second.app.sessionCount, 10);
  });

  it('send nothing on while one of them is told that it stops soon', async () => {
    const first = await link();
    await robots(6);
    const second = await stage.instance({ balancePace: pace });
    second.app.stopsSoon?.();
    const since = performance.now();
    await until(() => performance.now() - since > 2 * pace.settleMs);
    assert.equal(await moved(first), 0);
    assert.equal(first.app.sessionCount, 6);
  });
});

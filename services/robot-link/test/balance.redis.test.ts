import assert from 'node:assert/strict';
import { privateRedis, TcpBalancer, until, type BalancedServer, type LocalRedis } from '@perch/testkit';
import { balancePace } from '../src/balance/balance.js';
import { leftHalf, rightHalf, useLinks, type Instance, type TestRobot } from './links-under-test.js';

const pace = { ...balancePace, settleMs: 1500, robotsPerS: 3, stayMs: 300, returnedStayMs: 1000 };

describe('robot-links behind a load balancer', () => {
  let redis: LocalRedis;
  let balancer: TcpBalancer;
  let servers: BalancedServer[];

  // A separate Redis, since robot-links of other tests would take part in the balancing.
  before(async () => (redis = await privateRedis()));
  const system = useLinks({ redis: () => redis.url, perTest: true });
  beforeEach(async () => {
    servers = [];
    balancer = await TcpBalancer.open({ servers: () => servers, policy: 'leastconn' });
  });
  afterEach(() => balancer.close());
  after(() => redis.stop());

  async function link(): Promise<Instance> {
    const instance = await system.instance({ balancePace: pace });
    const { hostname: host, port } = new URL(instance.app.address);
    servers.push({ host, port: Number(port) });
    return instance;
  }

  function robots(count: number): Promise<TestRobot[]> {
    const url = `ws://127.0.0.1:${balancer.port}/robot/v1/link`;
    return Promise.all(Array.from({ length: count }, () => system.started(url, { reconnect: { minMs: 1000, maxMs: 60_000 } })));
  }

  const moved = async ({ registry }: Instance): Promise<number> =>
    Number(/perch_link_sessions_moved_total (\d+)/.exec(await registry.metrics())?.[1]);

  it('moves robots with 4009 to a robot-link that joins; the robots reconnect at once and no reader sees one away', async () => {
    const first = await link();
    const all = await robots(12);
    for (const made of all) await system.events(made, ['connected']);
    const closed: number[] = [];
    for (const { robot } of all) robot.on('closed', ({ code, retryMs }) => void closed.push(code, retryMs! <= 500 ? 0 : 1));
    const second = await link();
    await until(() => second.app.sessionCount >= 5 && first.app.sessionCount <= 7);
    const count = await moved(first);
    await until(() => all.every(({ robot }) => robot.online));
    assert.deepEqual([...new Set(closed)].toSorted(), [0, 4009]);
    assert.ok(count >= 5 && count <= 8, `${count} robots were sent on`);
    assert.equal(await moved(second), 0);
    for (const made of all) assert.deepEqual(await system.eventNames(made), ['connected']);
    for (const { robot } of all) assert.deepEqual(robot.violations, []);
  });

  it('does not move a robot with an open wait, a sound, a touch or an unfinished command', async () => {
    const first = await link();
    const [asked, playing, touched, commanded, ...idle] = (await robots(10)) as [TestRobot, TestRobot, TestRobot, TestRobot, ...TestRobot[]];
    await system.gateway.wait(asked, { kind: 'ask', targets: [leftHalf, rightHalf], picture: await system.picture() });
    await asked.robot.until(({ screen }) => screen.question !== null);
    const { ref } = await system.sound(20);
    assert.equal((await system.gateway.command(playing, { name: 'audio.play', args: {}, sound: ref })).t, 'ack');
    touched.robot.input('touch_down', { x: 10, y: 10 });
    commanded.robot.faults.ackLate(20_000);
    void system.gateway.command(commanded, { name: 'face', args: { emotion: 'happy' } }, { ttlMs: 30_000 }).catch(() => {});
    await commanded.robot.until(({ commands }) => commands.length === 1);
    const busy = [asked, playing, touched, commanded];
    const sessions = busy.map(({ robot }) => robot.session);
    const second = await link();
    await until(() => second.app.sessionCount >= 5);
    assert.deepEqual(
      busy.map(({ robot }) => robot.session),
      sessions,
    );
    assert.ok(idle.filter(({ robot }) => robot.dials === 2).length >= 5);
    // A robot may be moving at this moment.
    await until(() => first.app.sessionCount + second.app.sessionCount === 10);
  });

  it('moves no robots while one robot-link has announced its stop', async () => {
    const first = await link();
    await robots(6);
    const second = await system.instance({ balancePace: pace });
    second.app.stopsSoon?.();
    const since = performance.now();
    await until(() => performance.now() - since > 2 * pace.settleMs);
    assert.equal(await moved(first), 0);
    assert.equal(first.app.sessionCount, 6);
  });
});

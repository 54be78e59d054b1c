/** One gateway and one robot-link lose Redis while the others keep it, behind load balancers that ask /readyz. */
import assert from 'node:assert/strict';
import type { ServiceProcess } from '@perch/launcher';
import { privateRedis, TcpBalancer, TcpProxy, until, type LocalRedis } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { post } from '../fixture/clients/post.js';
import { SystemUnderTest, type Tenant } from '../fixture/system/system-under-test.js';

describe('an instance cut off from Redis', () => {
  let redis: LocalRedis;
  let proxy: TcpProxy;
  let system: SystemUnderTest;
  let cutOff: ServiceProcess[];

  before(async () => {
    redis = await privateRedis();
    const { hostname: host, port } = new URL(redis.url);
    proxy = await TcpProxy.open({ host, port: Number(port) });
    system = await SystemUnderTest.open({ gateways: 1, links: 1, renderers: 1 }, { redis: redis.url });
    const env = { PERCH_REDIS_URL: `redis://127.0.0.1:${proxy.port}` };
    cutOff = [await system.cluster.add('gateway', env), await system.cluster.add('robot-link', env)];
  });
  after(async () => {
    await system.clear();
    await system.close();
    await proxy.close();
    await redis.stop();
  });
  afterEach(heal);

  function heal(): void {
    proxy.conditions = {};
    proxy.refusing = false;
    proxy.cut();
  }

  const readyz = async ({ admin }: ServiceProcess): Promise<number> => (await fetch(`${admin}/readyz`)).status;

  const cuts: [string, () => void][] = [
    ['Redis stops responding', () => (proxy.conditions = { drop: 'both' })],
    [
      'connections are reset and refused',
      () => {
        proxy.refusing = true;
        proxy.cut();
      },
    ],
  ];
  for (const [how, cut] of cuts) {
    it(`a cut-off instance is not ready within 5 s if ${how}, and ready again by itself once Redis answers`, async () => {
      for (const instance of cutOff) await until(async () => (await readyz(instance)) === 200, { what: 'a ready instance' });
      cut();
      const since = performance.now();
      for (const instance of cutOff) await until(async () => (await readyz(instance)) === 503, { what: 'an instance that is not ready' });
      assert.ok(performance.now() - since < 5000);
      for (const instance of [system.cluster.gateways[0]!, system.cluster.links[0]!]) assert.equal(await readyz(instance), 200);
      heal();
      for (const instance of cutOff) await until(async () => (await readyz(instance)) === 200, { what: 'a ready instance' });
    });
  }

  it('a cut-off instance gets no calls or robots from a load balancer, whose calls all succeed on the others', async () => {
    const { gateways, links } = system.cluster;
    const behind = (all: readonly ServiceProcess[]) => () =>
      all.map(({ address, admin }) => ({ host: '127.0.0.1', port: Number(new URL(address).port), readyz: `${admin}/readyz` }));
    for (const instance of cutOff) await until(async () => (await readyz(instance)) === 200, { what: 'a ready instance' });
    const [toGateways, toLinks] = [
      await TcpBalancer.open({ servers: behind(gateways), checkEveryMs: 500 }),
      await TcpBalancer.open({ servers: behind(links), checkEveryMs: 500 }),
    ];
    try {
      cuts[0]![1]();
      const since = performance.now();
      await until(() => performance.now() - since > 5000);
      const tenant: Tenant = await system.tenant();
      const { robot: id, token } = await system.store.robots.create({ account: tenant.account });
      const robot = new VirtualRobot({ url: `ws://127.0.0.1:${toLinks.port}/robot/v1/link`, token, instant: true });
      system.keep(robot);
      await robot.start();
      assert.equal(robot.dials, 1);
      for (let n = 0; n < 10; n += 1)
        assert.equal((await post(`http://127.0.0.1:${toGateways.port}/v1/robots/${id}/say`, tenant.key, { text: `Hello ${n}` })).status, 200);
    } finally {
      await Promise.all([toGateways.close(), toLinks.close()]);
    }
  });
});

/** The probe sees what users see: through HAProxy with the shipped deploy/haproxy/perch.cfg, two gateways, two robot-links, a renderer and Redis. */
import assert from 'node:assert/strict';
import { needsHaproxy, needsRedisServer, redisProcess, startLoadBalancer, until, type LoadBalancer, type LocalRedis } from '@perch/testkit';
import { startProbe, type StartedProbe } from '../fixture/system/started-probe.js';
import { SystemUnderTest } from '../fixture/system/system-under-test.js';
import { metric } from '../fixture/telemetry/metric.js';

describe('a probe (HAProxy, 2 gateways, 2 robot-links, a renderer)', () => {
  let redis: LocalRedis;
  let system: SystemUnderTest;
  let balancer: LoadBalancer;
  let probe: StartedProbe;

  before(async function () {
    needsHaproxy(this);
    needsRedisServer(this);
    redis = await redisProcess({});
    system = await SystemUnderTest.open({ gateways: 2, links: 2, renderers: 1, env: { PERCH_TRUST_PROXY: '1' } }, { redis: redis.url });
    const { gateways, links } = system.cluster;
    balancer = await startLoadBalancer({ gateways: [gateways[0]!, gateways[1]!], links: [links[0]!, links[1]!] });
    await balancer.untilUp('gateways', 2);
    await balancer.untilUp('robot_links', 2);
    const settings = { PERCH_PROBE_INTERVAL_MS: '4000', PERCH_PROBE_TIMEOUT_MS: '4000' };
    probe = await startProbe(system, { baseUrl: balancer.programs, linkUrl: balancer.robots }, settings);
  });
  after(async () => {
    await probe?.process.stop();
    await balancer?.stop();
    await system?.close();
    await redis?.stop();
  });

  const isWell = async (): Promise<void> => {
    await Promise.all([probe.more('call', 'ok'), probe.more('question', 'ok')]);
    assert.equal(await metric(probe.process.admin, 'perch_probe_robot_connected'), 1);
  };

  it('counts calls and questions that are answered, when the last one was, and how long they took', async () => {
    await isWell();
    for (const check of ['call', 'question'] as const) {
      const at = await metric(probe.process.admin, 'perch_probe_last_check_timestamp_seconds', { check });
      assert.ok(Math.abs(at - Date.now() / 1000) < 120, `${check} ${at}`);
      assert.ok((await metric(probe.process.admin, 'perch_probe_check_seconds_count', { check })) > 0);
    }
  });

  it('counts failed calls from the first one on when all gateways are gone, and answered ones when they are back', async () => {
    const answered = await probe.count('call', 'ok');
    for (const gateway of system.cluster.gateways) gateway.signal('SIGKILL');
    await probe.more('call', 'failed', 2);
    // One may have been in flight, and one between the count and the kill.
    assert.ok((await probe.count('call', 'ok')) <= answered + 2);
    for (const server of ['gateway-1', 'gateway-2'] as const) await balancer.replace(server, await system.cluster.add('gateway'));
    await isWell();
  });

  it('counts failed questions while there is no robot-link, and calls as answered', async () => {
    for (const link of system.cluster.links) link.signal('SIGKILL');
    await until(async () => (await metric(probe.process.admin, 'perch_probe_robot_connected')) === 0);
    await Promise.all([probe.more('question', 'failed'), probe.more('call', 'ok')]);
    for (const server of ['robot-link-1', 'robot-link-2'] as const) await balancer.replace(server, await system.cluster.add('robot-link'));
    await isWell();
    for (const { running, admin } of system.cluster.links)
      if (running) assert.equal(await metric(admin, 'perch_link_sessions_orphaned_total'), 0, 'no figure of robots has it');
  });

  it('counts failed questions while there is no renderer, and calls as answered', async () => {
    system.cluster.renderers[0]!.signal('SIGKILL');
    await Promise.all([probe.more('question', 'failed'), probe.more('call', 'ok')]);
    await system.cluster.add('renderer');
    await isWell();
  });

  it('counts failed calls and questions while Redis does not answer', async () => {
    await redis.kill('SIGSTOP');
    try {
      await Promise.all([probe.more('question', 'failed'), probe.more('call', 'failed')]);
    } finally {
      await redis.kill('SIGCONT');
    }
    await isWell();
  });

  it('counts failed calls while nothing listens at the address', async () => {
    await balancer.kill();
    await probe.more('call', 'failed');
    await balancer.restart();
    await isWell();
  });

  it('counts no failure of the service while it was stopped itself', async () => {
    const failed = async (): Promise<number[]> => Promise.all([probe.count('call', 'failed'), probe.count('question', 'failed')]);
    const before = await failed();
    probe.process.signal('SIGSTOP');
    // Longer than the interval and the time limit.
    await new Promise((resolve) => setTimeout(resolve, 9000));
    probe.process.signal('SIGCONT');
    await isWell();
    assert.deepEqual(await failed(), before);
  });

  it('logs one line for each change, and no secret', () => {
    const checks = probe.lines.map((line) => JSON.parse(line)).filter(({ check }) => check !== undefined);
    for (const check of ['call', 'question']) {
      const codes = checks.filter((line) => line.check === check).map(({ code = 'ok' }) => code);
      assert.ok(codes.length >= 5, codes.join());
      for (const [i, code] of codes.entries()) assert.notEqual(code, codes[i + 1], codes.join());
    }
    for (const secret of probe.secrets) assert.ok(!probe.lines.some((line) => line.includes(secret)));
  });

  it('ends with code 0 on SIGTERM, also while a check is in flight', async () => {
    await redis.kill('SIGSTOP');
    try {
      await probe.more('call', 'failed');
      assert.equal((await probe.process.stop()).code, 0);
    } finally {
      await redis.kill('SIGCONT');
    }
  });
});

import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { startProbe } from '../fixture/system/started-probe.js';
import { addressOf, onAlertSystem } from '../fixture/telemetry/alert-system.js';

onAlertSystem('instances', { gateways: 1, links: 2, renderers: 1 }, (at) => {
  it('PerchInstanceDown fires for a robot-link that is stopped (SIGSTOP), and PerchHeartbeatsLate once it continues', async () => {
    const { system, watch } = at();
    const stopped = system.cluster.links[1]!;
    stopped.signal('SIGSTOP');
    try {
      await watch.untilFires('PerchInstanceDown');
      // Other instances consider it dead by then.
      await until(async () => (await system.store.instances.health([stopped.instance])).get(stopped.instance) === 'gone');
    } finally {
      stopped.signal('SIGCONT');
    }
    await watch.untilEnds('PerchInstanceDown');
    await watch.untilFires('PerchHeartbeatsLate');
  });

  it('PerchServiceGone fires when the only renderer exits and its target disappears, as with a pod, until another one answers', async () => {
    const { system, watch } = at();
    const renderer = system.cluster.renderers[0]!;
    await renderer.stop();
    await watch.follow(renderer);
    await watch.untilFires('PerchServiceGone');
    // An instance that nobody expects is missed for 15 minutes: here 15 s, and an evaluation each second.
    await until(
      async () => {
        const [series] = await watch.prometheus.query(
          'sum_over_time(ALERTS{alertname="PerchServiceGone", component="renderer", alertstate="firing"}[10m])',
        );
        return Number(series?.values[0]![1] ?? 0) >= 30;
      },
      { timeoutMs: 120_000, everyMs: 500, what: 'PerchServiceGone to last' },
    );
    await system.cluster.replace(renderer);
    await watch.follow();
    await watch.untilEnds('PerchServiceGone');
  });

  it('PerchInstancesMissing fires while one of two robot-links is no target', async () => {
    const { system, watch } = at();
    await watch.follow(system.cluster.links[1]);
    await watch.untilFires('PerchInstancesMissing');
    await watch.follow();
    await watch.untilEnds('PerchInstancesMissing');
  });

  it('PerchExpectationAbsent fires for a probe that nobody expects; PerchProbeFailing and PerchCallsFailing by it alone while the only gateway is stopped', async () => {
    const { system, watch } = at();
    const [gateway] = system.cluster.gateways;
    const addresses = { baseUrl: gateway!.address, linkUrl: system.link(0) };
    const probe = await startProbe(system, addresses, { PERCH_PROBE_INTERVAL_MS: '2000', PERCH_PROBE_TIMEOUT_MS: '2000' });
    const target = { url: probe.process.admin, component: 'probe' };
    try {
      await watch.add(target);
      await watch.untilFires('PerchExpectationAbsent');
      await probe.more('call', 'ok', 3);
      assert.ok(!(await watch.firing()).includes('PerchProbeFailing'));
      gateway!.signal('SIGSTOP');
      try {
        await watch.untilFires('PerchProbeFailing');
        // A gateway that is stopped counts no call.
        await watch.untilFires('PerchCallsFailing');
      } finally {
        gateway!.signal('SIGCONT');
      }
      await watch.untilEnds('PerchProbeFailing');
    } finally {
      await watch.remove(target);
      await probe.process.stop();
    }
    await watch.untilEnds('PerchExpectationAbsent');
  });

  it('PerchRobotsLostAtOnce fires for robots whose robot-link was killed until they are back, and PerchRobotsDropped counts them', async () => {
    const { system, watch, robotProxy } = at();
    const killed = system.cluster.links[0]!;
    killed.signal('SIGKILL');
    await killed.ended;
    await watch.untilFires('PerchRobotsLostAtOnce');
    robotProxy.target = addressOf(system.cluster.links[1]!);
    await watch.untilEnds('PerchRobotsLostAtOnce');
    await watch.untilFires('PerchRobotsDropped');
    await system.cluster.replace(killed);
    await watch.follow();
  });
});

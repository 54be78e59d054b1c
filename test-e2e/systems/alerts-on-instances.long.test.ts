import { until } from '@perch/testkit';
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

  it('PerchServiceGone fires when the only renderer exits and its target disappears, as with a pod', async () => {
    const { system, watch } = at();
    const renderer = system.cluster.renderers[0]!;
    await renderer.stop();
    await watch.follow(renderer);
    await watch.untilFires('PerchServiceGone');
    await system.cluster.replace(renderer);
    await watch.follow();
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

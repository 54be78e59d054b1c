/** Programs and robots connect through HAProxy, which is killed and restarted; then they connect directly again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { findHaproxy, startLoadBalancer, type BalancedInstance } from '@perch/testkit';
import type { Instance } from '../../system/instance.js';
import { defineFault } from '../define-fault.js';
import type { Fault } from '../fault.js';

const worksMs = [800, 1500] as const;

export const balancerDies: Fault = {
  ...defineFault('balancer-dies', 'both', async ({ system, robots }, random, undo) => {
    const { gateways, links } = system;
    // A call through HAProxy is cut off whichever gateway serves it.
    undo.impair(...[...gateways, ...links].map(({ reachable }) => reachable));
    const balancer = await startLoadBalancer({ gateways: pairOf(gateways), links: pairOf(links) });
    undo.add(() => balancer.stop());
    await balancer.untilUp('gateways', gateways.length);
    await balancer.untilUp('robot_links', links.length);
    for (const gateway of gateways) undo.add(gateway.reachThrough(balancer.programs));
    undo.add(() => {
      for (const [i, robot] of robots.ids.entries()) robots.moveTo([robot], links[i % links.length]!.url);
    });
    robots.moveTo(robots.ids, balancer.robots);
    await sleep(random.between(...worksMs));
    undo.add(async () => {
      await balancer.restart();
      await sleep(random.between(...worksMs));
    });
    await balancer.kill();
    return { what: 'SIGKILL HAProxy', holdMs: random.between(200, 3000) };
  }),
  prepare: () => Promise.resolve(findHaproxy() === null ? 'haproxy is not installed (apt-get install haproxy)' : null),
};

function pairOf(instances: readonly Instance[]): readonly [BalancedInstance, BalancedInstance] {
  const [one, two] = instances.map(({ url, admin }) => ({ address: url, admin }));
  if (one === undefined || two === undefined || instances.length > 2) throw new Error('HAProxy leads to two gateways and two robot-links');
  return [one, two];
}

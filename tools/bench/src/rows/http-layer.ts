/** The gateway as shipped against the same built gateway without express. */
import type { ServiceProcess } from '@perch/launcher';
import type { Bench } from '../bench.js';
import { ratios } from '../statistics.js';
import type { Perch } from '../variants/perch.js';

/** Preloaded to replace express. */
export const onNodeHttp = new URL('../../programs/on-node-http.mjs', import.meta.url);

export async function measureHttpLayer(bench: Bench): Promise<void> {
  bench.log('the gateway with and without express');
  const perch = await bench.shared('plain');
  const bare = await addBareGateway(perch);
  try {
    const costs = new Map([perch.gateway, bare].map((gateway) => [gateway, [] as number[]]));
    for (let round = -1; round < bench.plan.rounds; round++) {
      for (const [gateway, cost] of costs) {
        const options = { calls: bench.plan.calls[16], inFlight: 16, targets: perch.targetsAt(gateway), pids: [gateway.pid] };
        const { cpuMs } = await bench.run(perch, options);
        if (round >= 0) cost.push(cpuMs);
      }
    }
    bench.figures.set('gateway against node:http', ratios(costs.get(perch.gateway)!, costs.get(bare)!));
  } finally {
    await bare.stop();
  }
}

/** Starts another gateway from the same files, in which `express` is programs/express-stand-in.mjs. */
export function addBareGateway({ cluster }: Perch): Promise<ServiceProcess> {
  return cluster.add('gateway', { NODE_OPTIONS: `--import ${onNodeHttp.href}` });
}

/** The gateway as shipped against the same gateway without express. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ServiceProcess } from '@perch/launcher';
import type { Bench } from '../bench.js';
import { ratios } from '../statistics.js';
import type { Perch } from '../variants/perch.js';

export const onNodeHttp = new URL('../../programs/on-node-http.mjs', import.meta.url);
const bundler = new URL('../../programs/bundle-bare-gateway.mjs', import.meta.url);
/** Written by the bundler. */
export const bareProgram = new URL('../../../../services/gateway/dist/bare-main.js', import.meta.url);

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

/** The same modules, with programs/express-stand-in.mjs as `express`. */
export async function addBareGateway({ cluster }: Perch): Promise<ServiceProcess> {
  await promisify(execFile)(process.execPath, [fileURLToPath(bundler)]);
  return cluster.add('gateway', { NODE_OPTIONS: `--import ${onNodeHttp.href}` });
}

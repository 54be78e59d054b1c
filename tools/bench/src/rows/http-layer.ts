/** The gateway as shipped against the same gateway without express. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ServiceProcess } from '@perch/launcher';
import type { Bench } from '../bench.js';
import { turned } from '../rounds.js';
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
    const cpuOf = async (gateway: ServiceProcess, calls: number): Promise<number> =>
      (await bench.run(perch, { calls, inFlight: 16, targets: perch.targetsAt(gateway), pids: [gateway.pid] })).cpuMs;
    for (const gateway of [perch.gateway, bare]) await cpuOf(gateway, bench.plan.calls[16]);
    const rounds = await bench.rounds('with and without express', async (round) => {
      const cpu = new Map<ServiceProcess, number>();
      for (const gateway of turned([perch.gateway, bare], round)) cpu.set(gateway, await cpuOf(gateway, bench.plan.calls[16]));
      return cpu.get(perch.gateway)! / cpu.get(bare)!;
    });
    bench.figures.set('gateway against node:http', rounds);
  } finally {
    await bare.stop();
  }
}

/** The same modules, with programs/express-stand-in.mjs as `express`. */
export async function addBareGateway({ cluster }: Perch): Promise<ServiceProcess> {
  await promisify(execFile)(process.execPath, [fileURLToPath(bundler)]);
  return cluster.add('gateway', { NODE_OPTIONS: `--import ${onNodeHttp.href}` });
}

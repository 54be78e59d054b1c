/** Without traces, with one call in a hundred traced, and the earlier build of `--base`, in alternation. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bench } from '../bench.js';
import { median, ratios } from '../statistics.js';
import { Perch, type PerchOptions } from '../variants/perch.js';

/** Processes of the same build differ by a tenth for their whole lifetime, so that each block starts new ones and is one value of the figures. */
const blocksOf = (rounds: number): number => rounds + 3;
const roundsOfBlock = 3;
/** Without these, one call in a hundred would be too few for the compiler, and the figure that of the first seconds of a process. */
const tracedWarmUpCalls = 3000;

type Costs = Map<string, number[]>;

export async function measureTraces(bench: Bench): Promise<void> {
  const collector = await startCollector();
  try {
    const { port } = collector.address() as AddressInfo;
    const traced = {
      ...bench.env,
      PERCH_TRACES_ENDPOINT: `http://127.0.0.1:${port}`,
      PERCH_TRACES_SAMPLE: '0.01',
      PERCH_TRACES_REQUESTED_PER_S: '100000',
    };
    const kinds: [string, Partial<PerchOptions>][] = [
      ['off', {}],
      ['traced', { env: traced }],
    ];
    if (bench.base !== null) kinds.push(['base', { root: bench.base }]);
    const costs: Costs = new Map(kinds.map(([kind]) => [kind, []]));
    const blocks = blocksOf(bench.plan.rounds);
    for (let block = 0; block < blocks; block++) {
      // Each block begins with another variant.
      const turn = block % kinds.length;
      await measureBlock(bench, [...kinds.slice(turn), ...kinds.slice(0, turn)], costs);
      const last = [...costs].map(([kind, values]) => `${kind} ${values.at(-1)!.toFixed(3)}`);
      bench.log(`traces, block ${block + 1} of ${blocks}: ${last.join(', ')} ms/action`);
    }
    bench.figures.set('CPU with 1 % of the calls traced', ratios(costs.get('traced')!, costs.get('off')!));
    if (bench.base !== null) bench.figures.set('CPU with traces off', ratios(costs.get('off')!, costs.get('base')!));
  } finally {
    collector.close();
    collector.closeAllConnections();
  }
}

async function measureBlock(bench: Bench, kinds: readonly [string, Partial<PerchOptions>][], costs: Costs): Promise<void> {
  const systems: [string, Perch, number[]][] = [];
  try {
    for (const [kind, options] of kinds) {
      const perch = await Perch.start(bench.perchOptions(options));
      systems.push([kind, perch, []]);
      await bench.warmUp(perch, { calls: Math.min(tracedWarmUpCalls, bench.plan.warmUpCalls), traced: true });
      await bench.warmUp(perch, { calls: bench.plan.calls[16] });
    }
    for (let round = 0; round < roundsOfBlock; round++)
      for (const [, perch, own] of systems) own.push((await bench.run(perch, { calls: bench.plan.calls[16], inFlight: 16 })).cpuMs);
    for (const [kind, , own] of systems) costs.get(kind)!.push(median(own));
  } finally {
    for (const [, perch] of systems) await perch.stop();
  }
}

async function startCollector(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

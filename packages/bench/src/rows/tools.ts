/** The same action as a tool call and over HTTP, through the same gateway. */
import type { Bench } from '../bench.js';
import { ratios } from '../statistics.js';

const ways = [undefined, '2025-11-25', '2026-07-28'] as const;

export async function measureTools(bench: Bench): Promise<void> {
  bench.say('tool calls and actions');
  const perch = await bench.shared('plain');
  const costs = new Map(ways.map((way) => [way, [] as number[]]));
  for (const way of ways) await bench.warmUp(perch, way === undefined ? {} : { tool: way });
  for (let round = 0; round < bench.plan.rounds; round++) {
    for (const [way, cost] of costs) {
      const { cpuMs } = await bench.run(perch, { calls: bench.plan.calls[16], inFlight: 16, ...(way === undefined ? {} : { tool: way }) });
      cost.push(cpuMs);
    }
  }
  const http = costs.get(undefined)!;
  bench.figures.set('CPU of a tool call of 2025 against HTTP', ratios(costs.get('2025-11-25')!, http));
  bench.figures.set('CPU of a tool call of 2026-07-28 against HTTP', ratios(costs.get('2026-07-28')!, http));
}

/** The same action over HTTP, as a tool call, and with an Idempotency-Key, through the same gateway. */
import type { Bench } from '../bench.js';
import { ratios } from '../statistics.js';

const ways = { http: {}, 2025: { tool: '2025-11-25' }, 2026: { tool: '2026-07-28' }, keyed: { keyed: true } } as const;
type Way = keyof typeof ways;

export async function measureTools(bench: Bench): Promise<void> {
  bench.log('tool calls and actions');
  const perch = await bench.shared('plain');
  const costs: Record<Way, number[]> = { http: [], 2025: [], 2026: [], keyed: [] };
  for (const way of Object.values(ways)) await bench.warmUp(perch, way);
  for (let round = 0; round < bench.plan.rounds; round++) {
    for (const [way, more] of Object.entries(ways)) {
      const { cpuMs } = await bench.run(perch, { calls: bench.plan.calls[16], inFlight: 16, ...more });
      costs[way as Way].push(cpuMs);
    }
  }
  bench.figures.set('CPU of a tool call of 2025 against HTTP', ratios(costs[2025], costs.http));
  bench.figures.set('CPU of a tool call of 2026-07-28 against HTTP', ratios(costs[2026], costs.http));
  bench.figures.set('CPU of a call with an Idempotency-Key', ratios(costs.keyed, costs.http));
}

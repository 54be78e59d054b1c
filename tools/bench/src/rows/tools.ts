/** The same action over HTTP, as a tool call, and with an Idempotency-Key, through the same gateway. */
import type { Bench } from '../bench.js';
import { turned } from '../rounds.js';
import { ratios } from '../statistics.js';

const ways = { http: {}, '2025': { tool: '2025-11-25' }, '2026': { tool: '2026-07-28' }, keyed: { keyed: true } } as const;
type Way = 'http' | '2025' | '2026' | 'keyed';

export async function measureTools(bench: Bench): Promise<void> {
  bench.log('tool calls and actions');
  const perch = await bench.shared('plain');
  for (const way of Object.values(ways)) await bench.warmUp(perch, way);
  const names = Object.keys(ways) as Way[];
  const rounds = await bench.rounds('tool calls', async (round) => {
    const cpu = {} as Record<Way, number>;
    for (const way of turned(names, round)) cpu[way] = (await bench.run(perch, { calls: bench.plan.calls[16], inFlight: 16, ...ways[way] })).cpuMs;
    return cpu;
  });
  const costs = (way: Way): number[] => rounds.map((cpu) => cpu[way]);
  bench.figures.set('CPU of a tool call of 2025 against HTTP', ratios(costs('2025'), costs('http')));
  bench.figures.set('CPU of a tool call of 2026-07-28 against HTTP', ratios(costs('2026'), costs('http')));
  bench.figures.set(
    'CPU-seconds per million, with an Idempotency-Key',
    costs('keyed').map((ms) => ms * 1000),
  );
  bench.figures.set('CPU of a call with an Idempotency-Key', ratios(costs('keyed'), costs('http')));
}

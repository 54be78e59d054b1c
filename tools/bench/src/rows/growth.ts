/**
 * Compares the cost of an action in a small and a big system, measured in alternation, minus the idle cost.
 * A system with more robot-links has more to do: the same number of calls in flight for each. The same few calls spread over all of them are measured
 * as well: commands to one instance in one tick are one publish, and few calls over many instances rarely share one.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import { cpuMsOf } from '../operating-system.js';
import { total } from '../redis-stats.js';
import { ratios } from '../statistics.js';
import type { Perch } from '../variants/perch.js';

export interface Costs {
  cpuMs: number[];
  commands: number[];
}

export async function measureManyLinks(bench: Bench): Promise<void> {
  bench.log(`${bench.plan.manyLinks} robot-links against 1`);
  const one = await bench.shared('proxied');
  await bench.withPerch({ redis: 'proxied', links: bench.plan.manyLinks, renderers: 0 }, async (many) => {
    const { manyLinks } = bench.plan;
    const costs = await measureAlternately(bench, [
      { perch: one, inFlight: 16 },
      { perch: many, inFlight: 16 * manyLinks },
      { perch: many, inFlight: 16 },
    ]);
    bench.figures.set('CPU, many robot-links against 1', ratios(costs[1]!.cpuMs, costs[0]!.cpuMs));
    bench.figures.set('CPU, the same calls spread over many robot-links', ratios(costs[2]!.cpuMs, costs[0]!.cpuMs));
  });
}

export interface AlternatingSystem {
  perch: Perch;
  inFlight: number;
}

/** @returns the costs in the order of `turns` */
export async function measureAlternately(bench: Bench, turns: readonly AlternatingSystem[]): Promise<Costs[]> {
  const { plan } = bench;
  const idle = new Map<Perch, Idle>();
  for (const perch of new Set(turns.map((turn) => turn.perch))) {
    await bench.warmUp(perch);
    idle.set(perch, await idleCost(bench, perch));
  }
  const rounds = await bench.rounds('growth', async () => {
    const costs: { cpuMs: number; commands: number }[] = [];
    for (const { perch, inFlight } of turns) {
      const sentBefore = total(perch.proxy!.commands);
      const run = await bench.run(perch, { calls: plan.calls[16], inFlight });
      const sent = total(perch.proxy!.commands) - sentBefore;
      const seconds = run.elapsedMs / 1000;
      const { cpuMsPerS, commandsPerS } = idle.get(perch)!;
      costs.push({ cpuMs: run.cpuMs - (cpuMsPerS * seconds) / run.calls, commands: (sent - commandsPerS * seconds) / run.calls });
    }
    return costs;
  });
  return turns.map((_, i) => ({ cpuMs: rounds.map((costs) => costs[i]!.cpuMs), commands: rounds.map((costs) => costs[i]!.commands) }));
}

interface Idle {
  cpuMsPerS: number;
  commandsPerS: number;
}

async function idleCost({ plan }: Bench, perch: Perch): Promise<Idle> {
  const cpuBefore = cpuMsOf(perch.pids);
  const sentBefore = total(perch.proxy!.commands);
  const startedAt = performance.now();
  await pause(plan.settleMs);
  const seconds = (performance.now() - startedAt) / 1000;
  return { cpuMsPerS: (cpuMsOf(perch.pids) - cpuBefore) / seconds, commandsPerS: (total(perch.proxy!.commands) - sentBefore) / seconds };
}

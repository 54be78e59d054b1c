/** Whether an action costs more in a bigger system: two systems in turns, what they cost while idle taken off. */
import type { Bench } from '../bench.js';
import { cpuMsOf } from '../operating-system.js';
import { pause } from '../pause.js';
import { total } from '../redis-stats.js';
import type { Perch } from '../variants/perch.js';

export interface Costs {
  cpuMs: number[];
  commands: number[];
}

export async function measureManyLinks(bench: Bench): Promise<void> {
  bench.say(`${bench.plan.manyLinks} robot-links against 1`);
  await bench.withPerch({ redis: 'wire' }, (one) =>
    bench.withPerch({ redis: 'wire', links: bench.plan.manyLinks }, async (many) => {
      const costs = await inTurns(bench, [one, many]);
      recordGrowth(bench, 'many robot-links against 1', costs);
    }),
  );
}

/** @param perches each on a wire @returns in their order */
export async function inTurns(bench: Bench, perches: readonly Perch[]): Promise<Costs[]> {
  const { plan } = bench;
  const costs = perches.map((): Costs => ({ cpuMs: [], commands: [] }));
  const idle: Idle[] = [];
  for (const perch of perches) {
    await bench.warmUp(perch);
    idle.push(await idleCost(bench, perch));
  }
  for (let round = 0; round < plan.rounds; round++) {
    for (const [i, perch] of perches.entries()) {
      const sentBefore = total(perch.wire!.commands);
      const run = await bench.run(perch, { calls: plan.calls[16], inFlight: 16 });
      const sent = total(perch.wire!.commands) - sentBefore;
      const seconds = run.elapsedMs / 1000;
      costs[i]!.cpuMs.push(run.cpuMs - (idle[i]!.cpuMsPerS * seconds) / run.calls);
      costs[i]!.commands.push((sent - idle[i]!.commandsPerS * seconds) / run.calls);
    }
  }
  return costs;
}

export function recordGrowth(
  { figures }: Bench,
  what: 'many robot-links against 1' | 'many robots against few',
  [small, big]: readonly Costs[],
): void {
  figures.set(
    `CPU, ${what}`,
    big!.cpuMs.map((ms, round) => ms / small!.cpuMs[round]!),
  );
  figures.set(
    `commands, ${what}`,
    big!.commands.map((count, round) => count / small!.commands[round]!),
  );
}

interface Idle {
  cpuMsPerS: number;
  commandsPerS: number;
}

async function idleCost({ plan }: Bench, perch: Perch): Promise<Idle> {
  const cpuBefore = cpuMsOf(perch.pids);
  const sentBefore = total(perch.wire!.commands);
  const startedAt = performance.now();
  await pause(Math.min(plan.idleMs, plan.settleMs));
  const seconds = (performance.now() - startedAt) / 1000;
  return { cpuMsPerS: (cpuMsOf(perch.pids) - cpuBefore) / seconds, commandsPerS: (total(perch.wire!.commands) - sentBefore) / seconds };
}

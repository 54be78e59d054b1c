/** A sensor report at Perch's robot-link against the same frame received, parsed and stored by the lean variant. */
import type { Bench } from '../bench.js';
import { cpuMs } from '../operating-system.js';
import { turned } from '../rounds.js';
import { ratios } from '../statistics.js';
import type { Variant } from '../variants/variant.js';

export async function measureReports(bench: Bench, lean: Variant, perch: Variant): Promise<void> {
  bench.log('sensor reports');
  await costOfReport(bench, lean);
  await costOfReport(bench, perch);
  const rounds = await bench.rounds('sensor reports', async (round) => {
    const cpu = new Map<Variant, number>();
    for (const variant of turned([lean, perch], round)) cpu.set(variant, await costOfReport(bench, variant));
    return cpu;
  });
  const costs = (variant: Variant): number[] => rounds.map((cpu) => cpu.get(variant)!);
  bench.figures.set('CPU of a sensor report against parsing', ratios(costs(perch), costs(lean)));
  bench.figures.set('CPU of a sensor report', costs(perch));
}

async function costOfReport({ plan }: Bench, { robotsPid, fleet }: Variant): Promise<number> {
  const before = cpuMs(robotsPid);
  const reports = await fleet.report(plan.reports);
  return (cpuMs(robotsPid) - before) / reports;
}

/** A sensor report at Perch's robot-link against the same frame received, parsed and stored by the lean variant. */
import type { Bench } from '../bench.js';
import { cpuMs } from '../operating-system.js';
import { ratios } from '../statistics.js';
import type { Variant } from '../variants/variant.js';

export async function measureReports(bench: Bench, lean: Variant, perch: Variant): Promise<void> {
  bench.log('sensor reports');
  await costOfReport(bench, lean);
  await costOfReport(bench, perch);
  const costs: { lean: number[]; perch: number[] } = { lean: [], perch: [] };
  for (let round = 0; round < bench.plan.rounds; round++) {
    costs.lean.push(await costOfReport(bench, lean));
    costs.perch.push(await costOfReport(bench, perch));
  }
  bench.figures.set('CPU of a sensor report against parsing', ratios(costs.perch, costs.lean));
  bench.figures.set('CPU of a sensor report', costs.perch);
}

async function costOfReport({ plan }: Bench, { robotsPid, fleet }: Variant): Promise<number> {
  const before = cpuMs(robotsPid);
  const reports = await fleet.report(plan.reports);
  return (cpuMs(robotsPid) - before) / reports;
}

/** All variants in one run, in alternation: CPU, latency and throughput of the same action, and the cost of a sensor report. */
import type { Bench, Run } from '../bench.js';
import { inFlights, type InFlight } from '../plan.js';
import { turned } from '../rounds.js';
import { ratios } from '../statistics.js';
import { startAedes, startLean, startSocketIo, type VariantOptions } from '../variants/comparators.js';
import type { Perch } from '../variants/perch.js';
import { variantTitles, type Variant, type VariantName } from '../variants/variant.js';
import { measureReports } from './reports.js';

type Runs = Record<VariantName, Run[]>;

export async function measureSideBySide(bench: Bench): Promise<void> {
  const others: Variant[] = [];
  try {
    const { plan, robots: robotsWorker, redisBinary } = bench;
    const options: VariantOptions = { robotsWorker, redisBinary, robots: plan.robots, keys: plan.keys };
    const lean = await startLean(options);
    others.push(lean);
    await lean.connectRobots(plan.robots);
    for (const start of [startSocketIo, startAedes]) {
      const comparator = await start(options);
      others.push(comparator);
      await comparator.connectRobots(plan.robots);
    }
    const perch = await bench.shared('plain');
    const all = [...others, perch];
    for (const variant of all) {
      bench.log(`warming up ${variant.name}: ${variantTitles[variant.name]}`);
      await bench.warmUp(variant);
    }
    const runs = {} as Record<InFlight, Runs>;
    for (const inFlight of inFlights) runs[inFlight] = await rounds(bench, all, inFlight);
    record(bench, runs, perch);
    await measureReports(bench, lean, perch);
  } finally {
    for (const variant of others) await variant.stop();
  }
}

async function rounds(bench: Bench, variants: readonly Variant[], inFlight: InFlight): Promise<Runs> {
  const made = await bench.rounds(`${inFlight} in flight`, async (round) => {
    const run = {} as Record<VariantName, Run>;
    for (const variant of turned(variants, round)) run[variant.name] = await bench.run(variant, { calls: bench.plan.calls[inFlight], inFlight });
    return run;
  });
  return Object.fromEntries(variants.map(({ name }) => [name, made.map((run) => run[name])])) as Runs;
}

function record({ figures }: Bench, runs: Record<InFlight, Runs>, perch: Perch): void {
  const cpu = (name: VariantName): number[] => runs[16][name].map(({ cpuMs }) => cpuMs);
  const p50 = (name: VariantName): number[] => runs[1][name].map(({ p50Ms }) => p50Ms);
  const p99 = (name: VariantName): number[] => runs[16][name].map(({ p99Ms }) => p99Ms);
  const perS = (name: VariantName): number[] => runs[64][name].map((run) => run.perS);

  for (const name of ['L', 'S', 'A'] as const) figures.set(`CPU against ${name}, 16 in flight`, ratios(cpu('Perch'), cpu(name)));
  for (const name of ['L', 'S'] as const) figures.set(`p50 against ${name}, 1 in flight`, ratios(p50('Perch'), p50(name)));
  figures.set('p99 against S, 16 in flight', ratios(p99('Perch'), p99('S')));
  for (const name of ['S', 'A'] as const) figures.set(`throughput against ${name}, 64 in flight`, ratios(perS('Perch'), perS(name)));
  for (const name of ['L', 'S', 'A', 'Perch'] as const) {
    figures.set(`CPU of ${name}, 16 in flight`, cpu(name));
    figures.set(`p50 of ${name}, 1 in flight`, p50(name));
    figures.set(`p99 of ${name}, 16 in flight`, p99(name));
    figures.set(`throughput of ${name}, 64 in flight`, perS(name));
  }

  const share = (pid: number): number[] => runs[16].Perch.map(({ cpuMsByPid }) => cpuMsByPid.get(pid)!);
  figures.set('CPU of the gateway, 16 in flight', share(perch.gateway.pid));
  figures.set('CPU of the robot-link, 16 in flight', share(perch.link.pid));
  figures.set('CPU of Redis, 16 in flight', share(perch.redisPids[0]!));
}

/** All variants in one run, in alternation: CPU, latency and throughput of the same action, and the cost of a sensor report. */
import { provideMosquitto } from '@perch/testkit';
import type { Bench, Run, RunOptions } from '../bench.js';
import type { RowName } from '../goals.js';
import { inFlights } from '../plan.js';
import { turned } from '../rounds.js';
import { ratios } from '../statistics.js';
import { startAedes, startLean, startMosquitto, startSocketIo, type VariantOptions } from '../variants/comparators.js';
import type { Perch } from '../variants/perch.js';
import { variantTitles, type Variant, type VariantName } from '../variants/variant.js';
import { measureReports } from './reports.js';

/** Calls in flight, or an open loop. */
type Load = (typeof loads)[number];
type Runs = Record<Load, Partial<Record<VariantName, Run[]>>>;

const loads = [...inFlights, 'perS'] as const;
/** Rate of the open loop. */
const actionsPerS = 500;
const connections = 32;

const rowsOfM = [
  'CPU against M, 16 in flight',
  'CPU against M, 1 in flight',
  'CPU against M, 500/s',
  'throughput against M, 64 in flight',
  'CPU of M, 16 in flight',
  'CPU of M, 1 in flight',
  'CPU of M, 500/s',
  'p50 of M, 1 in flight',
  'p99 of M, 500/s',
  'throughput of M, 64 in flight',
] as const satisfies readonly RowName[];

export async function measureSideBySide(bench: Bench): Promise<void> {
  const others: Variant[] = [];
  try {
    const { plan, robots: robotsWorker, redisBinary } = bench;
    const options: VariantOptions = { robotsWorker, redisBinary, robots: plan.robots, keys: plan.keys };
    const lean = await startLean(options);
    others.push(lean);
    for (const start of [startSocketIo, startAedes]) others.push(await start(options));
    const mosquitto = await provideMosquitto(bench.env);
    if (typeof mosquitto === 'string') {
      bench.log(mosquitto);
      bench.figures.leave(`not measured: ${mosquitto}`, ...rowsOfM);
    } else others.push(await startMosquitto(options, mosquitto));
    for (const variant of others) await variant.connectRobots(plan.robots);
    const perch = await bench.shared('plain');
    const all = [...others, perch];
    for (const variant of all) {
      bench.log(`warming up ${variant.name}: ${variantTitles[variant.name]}`);
      await bench.warmUp(variant);
    }
    const runs = {} as Runs;
    for (const load of loads) runs[load] = await rounds(bench, all, load);
    record(bench, runs, perch);
    await measureReports(bench, lean, perch);
  } finally {
    for (const variant of others) await variant.stop();
  }
}

function optionsOf({ plan }: Bench, load: Load): RunOptions {
  return load === 'perS' ? { calls: plan.openCalls, inFlight: connections, perS: actionsPerS } : { calls: plan.calls[load], inFlight: load };
}

async function rounds(bench: Bench, variants: readonly Variant[], load: Load): Promise<Runs[Load]> {
  const options = optionsOf(bench, load);
  const made = await bench.rounds(load === 'perS' ? `${actionsPerS} a second` : `${load} in flight`, async (round) => {
    const run = {} as Record<VariantName, Run>;
    for (const variant of turned(variants, round)) run[variant.name] = await bench.run(variant, options);
    return run;
  });
  return Object.fromEntries(variants.map(({ name }) => [name, made.map((run) => run[name])]));
}

function record({ figures }: Bench, runs: Runs, perch: Perch): void {
  const valuesOf = (load: Load, value: (run: Run) => number) => (name: VariantName) => runs[load][name]?.map(value) ?? [];
  const cpu16 = valuesOf(16, ({ cpuMs }) => cpuMs);
  const cpu1 = valuesOf(1, ({ cpuMs }) => cpuMs);
  const cpuOpen = valuesOf('perS', ({ cpuMs }) => cpuMs);
  const p50 = valuesOf(1, ({ p50Ms }) => p50Ms);
  const p99 = valuesOf('perS', ({ p99Ms }) => p99Ms);
  const perS = valuesOf(64, (run) => run.perS);

  for (const name of ['M', 'L', 'S+'] as const) figures.set(`CPU against ${name}, 16 in flight`, ratios(cpu16('Perch'), cpu16(name)));
  figures.set('CPU against M, 1 in flight', ratios(cpu1('Perch'), cpu1('M')));
  figures.set('CPU against M, 500/s', ratios(cpuOpen('Perch'), cpuOpen('M')));
  for (const name of ['L', 'S+'] as const) figures.set(`p50 against ${name}, 1 in flight`, ratios(p50('Perch'), p50(name)));
  figures.set('p99 against S+, 500/s', ratios(p99('Perch'), p99('S+')));
  for (const name of ['S+', 'A+', 'M'] as const) figures.set(`throughput against ${name}, 64 in flight`, ratios(perS('Perch'), perS(name)));
  for (const name of ['L', 'S+', 'A+', 'M', 'Perch'] as const) {
    figures.set(`CPU of ${name}, 16 in flight`, cpu16(name));
    figures.set(`p50 of ${name}, 1 in flight`, p50(name));
    figures.set(`p99 of ${name}, 500/s`, p99(name));
    figures.set(`throughput of ${name}, 64 in flight`, perS(name));
  }
  for (const name of ['M', 'Perch'] as const) {
    figures.set(`CPU of ${name}, 1 in flight`, cpu1(name));
    figures.set(`CPU of ${name}, 500/s`, cpuOpen(name));
  }
  figures.set(
    'CPU-seconds per million, actions at 500/s',
    cpuOpen('Perch').map((ms) => ms * 1000),
  );

  const share = (pid: number): number[] => runs[16].Perch!.map(({ cpuMsByPid }) => cpuMsByPid.get(pid)!);
  figures.set('CPU of the gateway, 16 in flight', share(perch.gateway.pid));
  figures.set('CPU of the robot-link, 16 in flight', share(perch.link.pid));
  figures.set('CPU of Redis, 16 in flight', share(perch.redisPids[0]!));
}

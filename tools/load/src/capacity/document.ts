/** docs/capacity.md, computed; nothing in it is written by hand. */
import { boundsOf, type WebhookCheck } from './bounds.js';
import { coresOf, coresPerRobot, costsOf, memoryOf, processKinds, type ProcessKind } from './costs.js';
import { connectionsPerInstance, plannedCores, sizeOf, type Cpu, type Memory, type Sized } from './fleet-size.js';
import { rounded } from './rounded.js';
import { scenarioNames, type ScenarioName } from './scenarios.js';
import { defaultMix } from '../mix.js';
import type { Report } from '../report/report.js';

export interface CapacitySources {
  scenarios: Readonly<Record<ScenarioName, Report>>;
  /** Runs with the default mix: file name -> report. */
  runs: ReadonlyMap<string, Report>;
  look: WebhookCheck;
  /** Figures of docs/bench/report.json by name of the row. */
  bench: ReadonlyMap<string, number>;
}

const sizes = [10_000, 100_000, 1_000_000] as const;
const coresPerNode = 4;
/** Calls per second and robot in the runs: 200 per second of 10,000 robots. */
const callsPerRobotS = 0.02;

export function capacityDocument({ scenarios: reports, runs, look, bench }: CapacitySources): string {
  const costs = costsOf(reports);
  const cpu: Cpu = { own: byKind((kind) => costs.empty[kind] / 1000), perRobot: byKind((kind) => coresPerRobot([...runs.values()], kind)) };
  const memory = memoryFrom(reports, runs, bench);
  const { machine, version } = reports.idle;
  return `# Capacity

How many instances, nodes and memory a number of robots needs, and what stops working first. This page is computed by \`npm run capacity\` from the reports in [docs/load](load) and [docs/bench](bench/report.json), and a test holds it against them; \`npm run capacity -- --measure\` makes the runs of *Costs* again (4 minutes, on a machine with nothing else to do). Measured at ${version} on ${machine.cores} x ${machine.cpu}, ${machine.memory_gb} GB, which the load shared: on other machines measure again.

The robots are those of the [default mix](load.md#the-mix): sensors every 2 s, ${callsPerRobotS} calls a second and robot (200 a second of 10,000), ${defaultMix.taps_per_robot_minute} taps a minute and robot, half of the events over webhooks, a quarter each over polls and streams. A tenth of the actions has an Idempotency-Key, a quarter of the cards is new.

## Instances and memory

${sizes.map((robots) => sizeSection(robots, cpu, memory)).join('\n\n')}

A service's process runs on one core and is planned for ${plannedCores * 100} % of it, so that bursts and the loss of an instance leave it enough; no instance is planned for more than ${connectionsPerInstance.toLocaleString('en')} connections, and every service has at least two. *Busy* is the CPU of all instances together, in cores. Memory is what was measured plus 30 %. A node has ${coresPerNode} cores, one for each process.${Number(sizes[1]) > largestRun(runs) ? ` Beyond ${largestRun(runs).toLocaleString('en')} robots, the largest run without a storm, the figures are computed, not measured.` : ''}

## What breaks first

With default settings, and a new photograph a minute at each robot where pictures are named:

${table(
  ['', 'robots', 'what', 'why', 'remedy'],
  boundsOf(costs, cpu, look).map(({ robots, what, why, remedy }, i) => [String(i + 1), rounded(robots), what, why, remedy]),
)}

## Costs

CPU in milliseconds, from one short run for each row. Writes of one event-loop iteration are batched, so a call costs less the more calls there are: above the rates of these runs the figures are upper bounds.

${table(
  ['one', 'run', ...processKinds],
  scenarioNames.map((name) => [unitTexts[name], `[${name}](load/costs-${name}.json)`, ...processKinds.map((kind) => costs[name][kind].toFixed(3))]),
)}

Memory: a robot takes ${memory.robotKb} kB of its robot-link and a held poll or stream ${memory.heldKb} kB of its gateway ([bench](performance.md)), and a robot ${memory.redisRobotKb.toFixed(1)} kB of Redis. Without load a process takes ${processKinds.map((kind) => `${Math.round(memory.base[kind])} MB (${kind})`).join(', ')}.

## Runs

The cores of a run with the default mix grow with its robots; the line through all runs (least squares) is what instances are computed from. CPU that this line gives for each run, and CPU that was measured (*found*), in cores:

${table(
  ['run', 'robots', ...processKinds],
  [...runs].map(([file, report]) => [
    `[${file}](load/${file})`,
    report.robots.toLocaleString('en'),
    ...processKinds.map((kind) => `${(cpu.own[kind] + cpu.perRobot[kind] * report.robots).toFixed(2)}, found ${coresOf(report, kind).toFixed(2)}`),
  ]),
)}
`;
}

function sizeSection(robots: number, cpu: Cpu, memory: Memory): string {
  const sized = processKinds.map((kind) => sizeOf(kind, robots, defaultMix, cpu, memory));
  const redis = sized.find(({ kind }) => kind === 'Redis')!;
  const processes = sized.reduce((sum, { instances }) => sum + instances, 0) + redis.instances;
  const totalMb = sized.reduce((sum, { instances, memoryMb }) => sum + instances * memoryMb, 0) + redis.instances * redis.memoryMb;
  return `**${robots.toLocaleString('en')} robots**, ${Math.round(robots * callsPerRobotS).toLocaleString('en')} calls a second: ${Math.ceil(processes / coresPerNode)} nodes of ${coresPerNode} cores, ${gigabytes(totalMb)} of memory in all

${table(['', 'instances', 'memory of each', 'busy'], sized.map(row))}`;
}

function row({ kind, instances, memoryMb, busyCores: busy }: Sized): string[] {
  const count = kind === 'Redis' ? `${instances} ${instances === 1 ? 'master' : 'masters'}, a replica each` : String(instances);
  return [kind, count, memoryMb >= 1000 ? gigabytes(memoryMb) : `${Math.ceil(memoryMb / 10) * 10} MB`, busy.toFixed(2)];
}

function memoryFrom(reports: CapacitySources['scenarios'], runs: CapacitySources['runs'], bench: CapacitySources['bench']): Memory {
  const { calls, cards, idle } = reports;
  const base = Object.fromEntries(processKinds.map((kind) => [kind, memoryOf(kind === 'renderer' ? cards : calls, kind)])) as Record<
    ProcessKind,
    number
  >;
  const largest = [...runs.values(), idle].toSorted((a, b) => a.robots - b.robots).at(-1)!;
  return {
    base,
    robotKb: rowOf(bench, 'memory per robot'),
    heldKb: rowOf(bench, 'memory per held poll'),
    redisRobotKb: Math.max(0, (memoryOf(largest, 'Redis') - base.Redis) * 1000) / largest.robots,
  };
}

function byKind<T>(of: (kind: ProcessKind) => T): Record<ProcessKind, T> {
  return Object.fromEntries(processKinds.map((kind) => [kind, of(kind)])) as Record<ProcessKind, T>;
}

function rowOf(bench: CapacitySources['bench'], name: string): number {
  const figure = bench.get(name);
  if (figure === undefined) throw new Error(`docs/bench/report.json has no row ${name}`);
  return figure;
}

function largestRun(runs: CapacitySources['runs']): number {
  return Math.max(0, ...[...runs.values()].map(({ robots }) => robots));
}

const unitTexts: Readonly<Record<ScenarioName, string>> = {
  empty: 'second of a process without load',
  idle: 'second of a robot that reports its sensors',
  calls: 'simple action',
  keyed: 'simple action with an Idempotency-Key',
  cards: 'new card, drawn and shown',
};

function gigabytes(megabytes: number): string {
  const gb = megabytes / 1000;
  return `${gb >= 10 ? Math.ceil(gb) : Math.ceil(gb * 10) / 10} GB`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

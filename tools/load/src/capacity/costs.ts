/** The cost of one robot, call or event for each kind of process, from the reports of the scenarios. */
import type { Report } from '../report/report.js';
import { scenarioNames, scenarios, type ScenarioName } from './scenarios.js';

export const processKinds = ['gateway', 'robot-link', 'renderer', 'webhooks', 'Redis'] as const;
export type ProcessKind = (typeof processKinds)[number];

/** CPU ms of each kind of process for one unit; for `empty` per second of the process, and for `idle` per second of one robot. */
export type Costs = Readonly<Record<ScenarioName, Readonly<Record<ProcessKind, number>>>>;

export function coresOf({ processes }: Pick<Report, 'processes'>, kind: ProcessKind): number {
  return processes.filter(({ name }) => name.startsWith(kind)).reduce((sum, { cores }) => sum + cores, 0);
}

/** MB at the end of the load; the maximum of the kind's processes. */
export function memoryOf({ processes }: Pick<Report, 'processes'>, kind: ProcessKind): number {
  const own = processes.filter(({ name }) => name.startsWith(kind));
  return Math.max(0, ...own.map(({ rss_mb: rss }) => rss.findLast((mb) => mb !== null) ?? 0));
}

export function costsOf(reports: Readonly<Record<ScenarioName, Report>>): Costs {
  const { empty, idle } = reports;
  const perRobot = (kind: ProcessKind): number => Math.max(0, coresOf(idle, kind) - coresOf(empty, kind)) / (idle.robots - empty.robots);
  const own = (kind: ProcessKind): number => Math.max(0, coresOf(empty, kind) - perRobot(kind) * empty.robots);
  const costs = scenarioNames.map((name) => {
    const report = reports[name];
    const byKind = processKinds.map((kind): [ProcessKind, number] => {
      if (name === 'empty') return [kind, own(kind) * 1000];
      if (name === 'idle') return [kind, perRobot(kind) * 1000];
      const cores = coresOf(report, kind) - own(kind) - perRobot(kind) * report.robots;
      return [kind, Math.max(0, (cores * 1000) / unitsPerS(name, report))];
    });
    return [name, Object.fromEntries(byKind)] as const;
  });
  return Object.fromEntries(costs) as unknown as Costs;
}

function unitsPerS(name: ScenarioName, { robots, actions, minutes }: Report): number {
  const units = { robot: robots, call: actions / (minutes * 60) }[scenarios[name].unit];
  if (!(units > 0)) throw new Error(`the report of the scenario ${name} has no ${scenarios[name].unit}s`);
  return units;
}

/** The slope of the straight line through all runs (least squares). @param runs at least two, with different numbers of robots */
export function coresPerRobot(runs: readonly Report[], kind: ProcessKind): number {
  const mean = (of: (report: Report) => number): number => runs.reduce((sum, report) => sum + of(report), 0) / runs.length;
  const robots = mean((report) => report.robots);
  const cores = mean((report) => coresOf(report, kind));
  const spread = mean((report) => (report.robots - robots) ** 2);
  if (!(spread > 0)) throw new Error('runs with different numbers of robots are needed');
  return Math.max(0, mean((report) => (report.robots - robots) * (coresOf(report, kind) - cores)) / spread);
}

import { machine } from '@perch/bench';
import { Counter } from '../counter.js';
import { callKinds, readerKinds, type Mix } from '../mix.js';
import type { LoadArguments } from '../options.js';
import type { MeasuredStorm } from '../storm.js';
import type { WorkerResult } from '../worker/plan.js';
import { distributionOf, isVoid, thresholdResultsOf } from './assemble.js';
import type { ProcessSeries, Report, Series } from './report.js';

export interface RunResults {
  args: LoadArguments;
  mix: Mix;
  seed: string;
  version: string;
  robots: number;
  results: readonly WorkerResult[];
  series: Series;
  processes: ProcessSeries[];
  storm: MeasuredStorm | null;
  lateHeartbeats: number | null;
  trouble: readonly string[];
}

const problemsMax = 40;

export function reportOf({ args, mix, seed, version, robots, results, series, processes, storm, lateHeartbeats, trouble }: RunResults): Report {
  const sum = (of: (result: WorkerResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  const merged = (of: (result: WorkerResult) => string) => distributionOf(results.map(of));
  const counted = (of: (result: WorkerResult) => Record<string, number>): Record<string, number> => {
    const counter = new Counter();
    for (const result of results) counter.addAll(of(result));
    return counter.counts;
  };
  const simple = distributionOf(results.flatMap(({ calls }) => callKinds.filter((kind) => kind !== 'ask').map((kind) => calls[kind])));
  const late = merged((result) => result.late);
  const events = Object.fromEntries(
    readerKinds.map((kind) => {
      const of = (name: 'robots' | 'sent' | 'seen' | 'doubled'): number => sum(({ readers }) => readers[kind][name]);
      const counts = { robots: of('robots'), sent: of('sent'), seen: of('seen'), doubled: of('doubled') };
      return [kind, { ...counts, ...merged(({ readers }) => readers[kind].histogram) }];
    }),
  ) as Report['events'];
  const all = Object.values(events);
  const commands = {
    confirmed: sum((result) => result.commands.confirmed),
    done: sum((result) => result.commands.done),
    lost: sum((result) => result.commands.lost),
    doubled: sum((result) => result.commands.doubled),
  };
  const eventsSent = all.reduce((total, { sent }) => total + sent, 0);
  const eventsSeen = all.reduce((total, { seen }) => total + seen, 0);
  const report: Omit<Report, 'thresholds'> = {
    robots,
    connected: sum(({ connected }) => connected),
    actions: sum(({ codes }) => Object.values(codes).reduce((total, count) => total + count, 0)),
    errors: sum(({ errors }) => errors),
    p50_ms: simple.p50_ms,
    p99_ms: simple.p99_ms,
    events_sent: eventsSent,
    events_seen: eventsSeen,
    lost: eventsSent - eventsSeen + commands.lost,
    doubled: all.reduce((total, { doubled }) => total + doubled, 0) + commands.doubled,
    late_ms: late.p99_ms,
    void: isVoid({ late_ms: late.p99_ms }),
    trouble: [...trouble],
    at: new Date().toISOString(),
    version,
    seed,
    rate: args.rate / args.part.count,
    minutes: args.minutes,
    part: `${args.part.index + 1}/${args.part.count}`,
    parts: 1,
    mix,
    services: args.base === null ? args.start : null,
    workers: args.workers,
    machine: machine(),
    calls: Object.fromEntries(callKinds.map((kind) => [kind, merged(({ calls }) => calls[kind])])) as Report['calls'],
    codes: counted(({ codes }) => codes),
    away: sum(({ away }) => away),
    refused: sum(({ refused }) => refused),
    asks: counted(({ asks }) => asks),
    answers: merged(({ answers }) => answers),
    events,
    redelivered: sum(({ redelivered }) => redelivered),
    reader_codes: counted(({ readerCodes }) => readerCodes),
    commands,
    late,
    away_times: merged(({ awayTimes }) => awayTimes),
    late_heartbeats: lateHeartbeats,
    storm:
      storm === null
        ? null
        : { killed: storm.killed, lost: storm.lost, back: storm.back, back_s: storm.backS, others: merged(({ others }) => others) },
    series,
    processes,
    problems: results.flatMap(({ problems }) => problems).slice(0, problemsMax),
  };
  return { ...report, thresholds: thresholdResultsOf({ ...mix.thresholds, ...args.thresholds }, report) };
}

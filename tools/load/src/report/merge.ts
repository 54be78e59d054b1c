/** Histograms are added, so that percentiles are those of all calls of all machines. */
import { Counter } from '../counter.js';
import { Histogram } from '../histogram.js';
import { callKinds, readerKinds } from '../mix.js';
import type { Thresholds } from '../thresholds.js';
import { distributionOf, isVoid, thresholdResultsOf } from './assemble.js';
import type { Distribution, Report, Series, Storm } from './report.js';

/** @param file name for errors @throws an Error if it is not a report of a load run */
export function readReport(file: string, text: string): Report {
  try {
    const report = JSON.parse(text) as Report;
    for (const name of ['robots', 'connected', 'actions', 'errors', 'events_sent', 'events_seen', 'lost', 'doubled', 'minutes'] as const) {
      if (typeof report[name] !== 'number') throw new Error(`${name} is missing`);
    }
    for (const distribution of [...Object.values(report.calls), report.late]) Histogram.read(distribution.histogram);
    return report;
  } catch (error) {
    throw new Error(`--merge ${file}: is not a report of npm run load (${error instanceof Error ? error.message : String(error)})`, { cause: error });
  }
}

/** @param thresholds override those of the first report's mix @throws an Error if the reports have different mixes or lengths */
export function mergedReport(reports: readonly Report[], thresholds: Thresholds): Report {
  const [first] = reports as [Report, ...Report[]];
  const different = reports.find(({ mix, minutes }) => JSON.stringify(mix) !== JSON.stringify(first.mix) || minutes !== first.minutes);
  if (different !== undefined) throw new Error('--merge: the reports are of different mixes or lengths');
  const parts = reports.map(({ part }) => part);
  if (new Set(parts).size < parts.length) throw new Error(`--merge: a part is given more than once (${parts.join(', ')})`);
  const sum = (of: (report: Report) => number): number => reports.reduce((total, report) => total + of(report), 0);
  const merged = (of: (report: Report) => Distribution): Distribution => distributionOf(reports.map((report) => of(report).histogram));
  const counted = (of: (report: Report) => Record<string, number>): Record<string, number> => {
    const counter = new Counter();
    for (const report of reports) counter.addAll(of(report));
    return counter.counts;
  };
  const calls = Object.fromEntries(callKinds.map((kind) => [kind, merged((report) => report.calls[kind])])) as Report['calls'];
  const simple = distributionOf(callKinds.filter((kind) => kind !== 'ask').map((kind) => calls[kind].histogram));
  const late = merged((report) => report.late);
  const events = Object.fromEntries(
    readerKinds.map((kind) => {
      const of = (name: 'robots' | 'sent' | 'seen' | 'doubled'): number => sum((report) => report.events[kind][name]);
      const counts = { robots: of('robots'), sent: of('sent'), seen: of('seen'), doubled: of('doubled') };
      return [kind, { ...counts, ...merged((report) => report.events[kind]) }];
    }),
  ) as Report['events'];
  const command = (name: keyof Report['commands']): number => sum(({ commands }) => commands[name]);
  const heartbeats = reports.flatMap(({ late_heartbeats: count }) => (count === null ? [] : [count]));
  const report: Omit<Report, 'thresholds'> = {
    ...first,
    robots: sum(({ robots }) => robots),
    connected: sum(({ connected }) => connected),
    actions: sum(({ actions }) => actions),
    errors: sum(({ errors }) => errors),
    p50_ms: simple.p50_ms,
    p99_ms: simple.p99_ms,
    events_sent: sum((each) => each.events_sent),
    events_seen: sum((each) => each.events_seen),
    lost: sum(({ lost }) => lost),
    doubled: sum(({ doubled }) => doubled),
    late_ms: late.p99_ms,
    // One late machine makes the merged result void.
    void: reports.some((each) => each.void) || isVoid({ late_ms: late.p99_ms }),
    trouble: reports.flatMap(({ trouble }) => trouble),
    rate: sum(({ rate }) => rate),
    part: parts.join(', '),
    parts: sum((each) => each.parts),
    workers: sum(({ workers }) => workers),
    calls,
    codes: counted(({ codes }) => codes),
    away: sum(({ away }) => away),
    refused: sum(({ refused }) => refused),
    asks: counted(({ asks }) => asks),
    answers: merged(({ answers }) => answers),
    events,
    redelivered: sum(({ redelivered }) => redelivered),
    reader_codes: counted((each) => each.reader_codes),
    commands: {
      confirmed: command('confirmed'),
      done: command('done'),
      lost: command('lost'),
      doubled: command('doubled'),
    },
    late,
    away_times: merged((each) => each.away_times),
    late_heartbeats: heartbeats.length === 0 ? null : Math.max(...heartbeats),
    storm: mergedStorm(reports.flatMap(({ storm }) => (storm === null ? [] : [storm]))),
    series: mergedSeries(reports.map(({ series }) => series)),
    processes: reports.flatMap(({ processes, part }) =>
      reports.length === 1 ? processes : processes.map((each) => ({ ...each, name: `${each.name} (${part})` })),
    ),
    problems: reports.flatMap(({ problems }) => problems),
  };
  return { ...report, thresholds: thresholdResultsOf({ ...first.mix.thresholds, ...thresholds }, report) };
}

function mergedStorm(storms: readonly Storm[]): Storm | null {
  if (storms.length === 0) return null;
  const backs = storms.map(({ back_s: backS }) => backS);
  return {
    killed: storms[0]!.killed,
    lost: storms.reduce((sum, { lost }) => sum + lost, 0),
    back: storms.reduce((sum, { back }) => sum + back, 0),
    back_s: backs.includes(null) ? null : Math.max(...(backs as number[])),
    others: distributionOf(storms.map(({ others }) => others.histogram)),
  };
}

/** Merges interval by interval, as far as every report has them: they are equally long and begin together. */
function mergedSeries(all: readonly Series[]): Series {
  const length = Math.min(...all.map(({ s }) => s.length));
  const places = Array.from({ length }, (_, i) => i);
  const sum = (name: 'connected' | 'started' | 'errors'): number[] => places.map((i) => all.reduce((total, series) => total + series[name][i]!, 0));
  const most = (name: 'late_p99_ms' | 'events_p99_ms'): number[] => places.map((i) => Math.max(...all.map((series) => series[name][i]!)));
  const calls = places.map((i) => distributionOf(all.map((series) => series.calls[i]!)));
  return {
    s: all[0]!.s.slice(0, length),
    connected: sum('connected'),
    started: sum('started'),
    errors: sum('errors'),
    p50_ms: calls.map((each) => each.p50_ms),
    p99_ms: calls.map((each) => each.p99_ms),
    late_p99_ms: most('late_p99_ms'),
    events_p99_ms: most('events_p99_ms'),
    calls: calls.map(({ histogram }) => histogram),
  };
}

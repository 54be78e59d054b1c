import { lateMsMax } from './assemble.js';
import type { Report } from './report.js';

const problemsShown = 10;

export function summaryOf(report: Report): string {
  const { storm, commands } = report;
  const counts = (all: Record<string, number>): string =>
    Object.entries(all)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none';
  const readers = Object.entries(report.events).map(
    ([kind, { sent, seen, p50_ms: p50, p99_ms: p99 }]) => `${kind} ${seen} of ${sent}, p50 ${p50} ms, p99 ${p99} ms`,
  );
  const processes = report.processes.map(
    ({ name, rss_mb: rss, cores, growth, heap_growth: heapGrowth = null }) =>
      `${name} ${rss.findLast((value) => value !== null) ?? 'no'} MB, ${cores.toFixed(2)} cores${growth === null ? '' : `, growth ${growth}`}${heapGrowth === null ? '' : `, of the heap ${heapGrowth}`}`,
  );
  return [
    `${report.connected} of ${report.robots} robots, ${report.actions} calls in ${report.minutes} min, ${report.errors} errors (${counts(report.codes)})`,
    `calls: p50 ${report.p50_ms} ms, p99 ${report.p99_ms} ms; own lateness p99 ${report.late_ms} ms`,
    `events: ${readers.join('; ')}; ${report.redelivered} messages redelivered; readers' failed requests: ${counts(report.reader_codes)}`,
    `questions: ${counts(report.asks)}; from the tap to the answer p50 ${report.answers.p50_ms} ms, p99 ${report.answers.p99_ms} ms`,
    `commands: ${commands.confirmed} confirmed, ${commands.lost} lost, ${commands.doubled} doubled`,
    `in all: ${report.lost} lost, ${report.doubled} doubled`,
    ...(storm === null
      ? []
      : [
          `storm: ${storm.killed} killed, ${storm.lost} robots lost their session, ${storm.back_s === null ? `${storm.lost - storm.back} did not come back` : `all back after ${storm.back_s} s`}; other robots' calls p99 ${storm.others.p99_ms} ms (${storm.others.count})`,
        ]),
    ...(report.late_heartbeats === null ? [] : [`late heartbeats: ${report.late_heartbeats}`]),
    ...processes.map((line) => `  ${line}`),
    ...report.problems.slice(0, problemsShown).map((what) => `  - ${what}`),
    ...report.trouble.map((what) => `  - ${what}`),
    ...report.thresholds.map(
      ({ name, most, found, held }) => `threshold ${name}: ${found ?? 'not measured'}, at most ${most}: ${held ? 'held' : 'NOT HELD'}`,
    ),
    ...(report.void ? [`VOID: the load itself was ${report.late_ms} ms late at p99, more than ${lateMsMax} ms; the figures mean nothing.`] : []),
    '',
  ].join('\n');
}

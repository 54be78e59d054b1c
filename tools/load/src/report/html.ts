import { escaped } from '@perch/bench';
import { exitCodeOf, lateMsMax } from './assemble.js';
import { linePlotSvg, type LinePlot } from './line-plot.js';
import type { Distribution, Report } from './report.js';

type Cell = string | number;

export function htmlOf(report: Report): string {
  const { robots, rate, minutes, at, version, machine, storm } = report;
  const verdict = { 0: 'all thresholds held', 1: 'a threshold did not hold, or an instance ended by itself', 3: 'void' }[exitCodeOf(report)];
  const title = `Load: ${robots} robots, ${rate} calls/s, ${minutes} min`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #0f172a; background: #fff }
table { border-collapse: collapse; margin: 0 0 1.5rem } th, td { padding: .2rem .8rem .2rem 0; text-align: right; border-bottom: 1px solid #e2e8f0 }
th:first-child, td:first-child { text-align: left } .bad { color: #b91c1c; font-weight: bold } svg { display: block; margin: 0 0 1.5rem; max-width: 100%; height: auto }
</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>Perch ${escaped(version)}, ${escaped(at)}, ${machine.cores} x ${escaped(machine.cpu)}, ${machine.memory_gb} GB, Node ${escaped(machine.node)}. Result: <strong>${verdict}</strong>.</p>
${report.void ? `<p class="bad">Void: the load itself was ${report.late_ms} ms late at p99, more than ${lateMsMax} ms. The figures mean nothing.</p>` : ''}
${report.trouble.map((what) => `<p class="bad">${escaped(what)}</p>`).join('\n')}
${table(
  ['figure', 'value'],
  [
    ['robots connected at the end', `${report.connected} of ${robots}`],
    ['calls', report.actions],
    ['errors (failed by the service, or 429)', report.errors],
    ['calls, p50 and p99 (ms)', `${report.p50_ms} and ${report.p99_ms}`],
    ['events received', `${report.events_seen} of ${report.events_sent}`],
    ['lost; doubled', `${report.lost}; ${report.doubled}`],
    ['own lateness, p99 (ms)', report.late_ms],
    ['late heartbeats', report.late_heartbeats ?? 'not measured'],
  ],
)}
<h2>Thresholds</h2>
${table(
  ['threshold', 'found', 'at most', ''],
  report.thresholds.map(({ name, found, most, held }) => [name, found ?? 'not measured', most, held ? 'held' : 'NOT HELD']),
)}
${
  storm === null
    ? ''
    : `<h2>Storm</h2>
${table(
  ['figure', 'value'],
  [
    ['killed', storm.killed],
    ['robots that lost their session', storm.lost],
    ['all back after (s)', storm.back_s ?? `${storm.lost - storm.back} did not come back`],
    ["other robots' calls meanwhile", `${storm.others.count}, p99 ${storm.others.p99_ms} ms`],
  ],
)}`
}
<h2>Over time</h2>
${plotsOf(report).map(linePlotSvg).join('\n')}
<h2>Calls</h2>
${table(
  ['call', 'count', 'p50 (ms)', 'p99 (ms)', 'most (ms)'],
  Object.entries(report.calls).map(([kind, of]) => [kind, ...distributionCells(of)]),
)}
<p>A question (ask) lasts until a person answers. From the tap on an answer to the end of its call: p50 ${report.answers.p50_ms} ms, p99 ${report.answers.p99_ms} ms.</p>
${table(['answer', 'count'], Object.entries(report.codes))}
<h2>Events</h2>
${table(
  ['received by', 'robots', 'sent', 'received', 'doubled', 'p50 (ms)', 'p99 (ms)', 'most (ms)'],
  Object.entries(report.events).map(([kind, of]) => [kind, of.robots, of.sent, of.seen, of.doubled, of.p50_ms, of.p99_ms, of.max_ms]),
)}
<h2>Processes</h2>
${table(
  ['process', 'memory at the end (MB)', 'memory growth', 'heap growth', 'cores'],
  report.processes.map(({ name, rss_mb: rss, growth, heap_growth: heapGrowth, cores }) => [
    name,
    rss.findLast((value) => value !== null) ?? '',
    growth ?? 'too short',
    heapGrowth ?? '',
    cores,
  ]),
)}
${report.problems.length === 0 ? '' : `<h2>Problems</h2>\n<ul>${report.problems.map((what) => `<li>${escaped(what)}</li>`).join('')}</ul>`}
</body>
</html>
`;
}

function plotsOf({ series, processes }: Report): LinePlot[] {
  const { s } = series;
  const perS = series.started.map((count, i) => count / (s[i]! - (s[i - 1] ?? 0) || 1));
  return [
    {
      title: 'Latency of calls',
      unit: 'ms',
      s,
      lines: [
        { label: 'p50', values: series.p50_ms },
        { label: 'p99', values: series.p99_ms },
      ],
    },
    { title: 'Calls started', unit: 'a second', s, lines: [{ label: 'calls', values: perS }] },
    { title: 'Errors', unit: 'an interval', s, lines: [{ label: 'errors', values: series.errors }] },
    { title: 'Connected robots', unit: 'robots', s, lines: [{ label: 'connected', values: series.connected }] },
    {
      title: 'Events and own lateness, p99',
      unit: 'ms',
      s,
      lines: [
        { label: 'events', values: series.events_p99_ms },
        { label: 'own lateness', values: series.late_p99_ms },
      ],
    },
    { title: 'Processor time', unit: 'cores', s, lines: processes.map(({ name, cores_series: values }) => ({ label: name, values })) },
    { title: 'Resident memory', unit: 'MB', s, lines: processes.map(({ name, rss_mb: values }) => ({ label: name, values })) },
    {
      title: 'Used heap',
      unit: 'MB',
      s,
      lines: processes.flatMap(({ name, heap_mb: heap = [] }) =>
        heap.every((value) => value === null)
          ? []
          : [{ label: name, values: heap.map((_, i) => heap.slice(0, i + 1).findLast((value) => value !== null) ?? null) }],
      ),
    },
  ].filter(({ lines }) => lines.length > 0);
}

function distributionCells({ count, p50_ms: p50, p99_ms: p99, max_ms: max }: Omit<Distribution, 'histogram'>): Cell[] {
  return [count, p50, p99, max];
}

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = (row: readonly Cell[], tag: 'th' | 'td'): string =>
    row.map((cell) => `<${tag}${cell === 'NOT HELD' ? ' class="bad"' : ''}>${escaped(String(cell))}</${tag}>`).join('');
  return `<table>\n<tr>${cells(head, 'th')}</tr>\n${rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')}\n</table>`;
}

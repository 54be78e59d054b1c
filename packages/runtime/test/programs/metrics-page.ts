/** The text of docs/reference/metrics.md: the table of metrics for readers. `pnpm run generate` writes it, a test compares it. */
import { fileURLToPath } from 'node:url';
import type { MetricRow } from '../../src/metrics/metric-row.js';
import { metricGroups, type MetricGroup } from '../../src/metrics/table.js';

export const metricsPageFile = fileURLToPath(new URL('../../../../docs/reference/metrics.md', import.meta.url));

const introduction = `# Metrics

Generated from \`packages/runtime/src/metrics\` by \`npx pnpm run -r generate\`.

Every instance serves its metrics in the text format of Prometheus at \`/metrics\` on its admin port, beside those of Node.js (\`process_\`, \`nodejs_\`). Counters begin at 0 for each value of their labels that is listed here (\`perch_gateway_requests_total\` for each pair of action and code that can be expected). Values that are read from Redis at a scrape are at most 3 seconds old, and are missing while Redis does not answer; the scrape is answered all the same. Gauges of what all instances share (queues, storage, memory of Redis) are reported by each of them: take the maximum.

Labels that Prometheus adds, such as \`instance\` and \`component\`, are not listed.
`;

export function metricsPage(): string {
  return [introduction, ...metricGroups.map(section)].join('\n');
}

function section({ title, path, metrics }: MetricGroup): string {
  const where = path === '/metrics' ? '' : `Served at \`${path}\`.\n\n`;
  const rows = Object.entries(metrics).map(([name, row]) => `| \`${name}\` | ${row.type} | ${labelsOf(row)} | ${row.help.replaceAll('|', '\\|')} |`);
  return `## ${title}\n\n${where}| metric | type | labels | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function labelsOf({ labels }: MetricRow): string {
  return Object.entries(labels)
    .map(([label, values]) => (values === null ? `\`${label}\`` : `\`${label}\`: ${values.join(', ')}`))
    .join('<br>');
}

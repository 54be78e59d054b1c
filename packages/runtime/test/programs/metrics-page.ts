/** docs/reference/metrics.md, which `pnpm run generate` writes and a test compares. */
import { fileURLToPath } from 'node:url';
import type { MetricRow } from '../../src/metrics/metric-row.js';
import { metricGroups, type MetricGroup } from '../../src/metrics/table.js';

export const metricsPageFile = fileURLToPath(new URL('../../../../docs/reference/metrics.md', import.meta.url));

const introduction = `# Metrics

Generated from \`packages/runtime/src/metrics\` by \`npx pnpm run -r generate\`.

Every instance serves its metrics in the text format of Prometheus at \`/metrics\` on its admin port, together with those of Node.js (\`process_\`, \`nodejs_\`). Counters start at 0 for each label value listed here (\`perch_gateway_requests_total\` for each expected pair of action and code). Values that a scrape reads from Redis are at most 3 seconds old, and are absent while Redis does not answer; the scrape itself still succeeds. Gauges of shared resources (queues, storage, memory of Redis) are reported by every instance: take the maximum.

The calls, pictures and robots of probes (\`perch probe add\`) are in no metric of use or of robots. What an instance holds at the moment, such as connections and subscriptions, includes them.

Labels that Prometheus adds, such as \`instance\` and \`component\`, are not listed.
`;

export function metricsPage(): string {
  return [introduction, ...metricGroups.map(section)].join('\n');
}

function section({ title, path, metrics }: MetricGroup): string {
  const where = path === '/metrics' ? '' : `Served at \`${path}\`.\n\n`;
  const rows = Object.entries(metrics).map(
    ([name, row]) => `| \`${name}\` | ${row.type} | ${labelsOf(name, row)} | ${row.help.replaceAll('|', '\\|')} |`,
  );
  return `## ${title}\n\n${where}| metric | type | labels | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}

function labelsOf(name: string, { labels }: MetricRow): string {
  return Object.entries(labels)
    .map(([label, values]) => (values === null ? `\`${label}\`` : `\`${label}\`: ${valuesOf(name, values)}`))
    .join('<br>');
}

/** Names the first metric with the same list instead of repeating a long one. */
function valuesOf(name: string, values: readonly string[]): string {
  const text = values.join(', ');
  const first = metricGroups
    .flatMap(({ metrics }) => Object.entries(metrics))
    .find(([, row]) => Object.values(row.labels).some((others) => others?.join(', ') === text))![0];
  return values.length > 12 && first !== name ? `as of \`${first}\`` : text;
}

/** Checks the queries of alerts and runbooks against the table of metrics: names, labels and label values. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { metricTable } from '@perch/runtime';
import { serviceFaultCodes } from '@perch/schema';
import { allRules, pageCommands } from '@perch/testkit';
import type { MetricRow } from '../../src/metrics/metric-row.js';

const table: Readonly<Record<string, MetricRow>> = metricTable;
/** Labels that Prometheus adds to every series. */
const targetLabels = ['job', 'instance', 'component', 'namespace', 'release'];

function runbookQueries(): { where: string; expr: string }[] {
  const pages = readdirSync(fileURLToPath(new URL('../../../../docs/runbooks/', import.meta.url))).map((name) => `runbooks/${name}`);
  return pages
    .flatMap(pageCommands)
    .flatMap(({ kind, page, line, text }) => (kind === 'promql' ? [{ where: `docs/${page}:${line}`, expr: text }] : []));
}

const queries = [...allRules().map((rule) => ({ where: 'alert' in rule ? rule.alert : rule.record, expr: rule.expr })), ...runbookQueries()];

function rowOf(series: string): MetricRow | undefined {
  const histogram = table[series.replace(/_(?:bucket|count|sum)$/, '')];
  return table[series] ?? (histogram?.type === 'histogram' ? histogram : undefined);
}

describe('the queries of alerts and runbooks', () => {
  it('uses only metrics of the table in queries', () => {
    assert.ok(queries.length > 90, `${queries.length} queries`);
    for (const { where, expr } of queries)
      for (const [series] of expr.matchAll(/\bperch_\w+/g)) assert.ok(rowOf(series) !== undefined, `${where}: ${series}`);
  });

  it('selects only by labels and values that the metric has', () => {
    for (const { where, expr } of queries) {
      for (const [, series, selectors] of expr.matchAll(/\b(perch_\w+)\{([^}]*)\}/g)) {
        const { type, labels } = rowOf(series!)!;
        for (const [, label, operator, value] of selectors!.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)) {
          if (label === 'le' && type === 'histogram') {
            assert.ok(rowOf(series!)!.buckets!.includes(Number(value)), `${where}: ${series} has no bucket ${value}`);
            continue;
          }
          assert.ok([...Object.keys(labels), ...targetLabels].includes(label!), `${where}: ${series} has no label ${label}`);
          const values = labels[label!] ?? null;
          if (values === null) continue;
          const named = operator!.endsWith('~') ? value!.split('|') : [value!];
          for (const each of named) assert.ok(values.includes(each), `${where}: ${series} has no ${label} ${each}`);
        }
      }
    }
  });

  it('groups only by labels that a metric of the expression has', () => {
    for (const { where, expr } of queries) {
      const labels = new Set([...targetLabels, ...[...expr.matchAll(/\bperch_\w+/g)].flatMap(([series]) => Object.keys(rowOf(series)!.labels))]);
      if (/_bucket\b/.test(expr)) labels.add('le');
      if (/\bhaproxy_/.test(expr)) labels.add('proxy');
      for (const [, list] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g))
        for (const label of list!.split(/,\s*/)) assert.ok(labels.has(label), `${where}: no metric has the label ${label}`);
    }
  });

  it('lists in queries for failures exactly the codes that are the fault of the service', () => {
    const listed = queries.flatMap(({ expr }) => [...expr.matchAll(/code=~"([^"]+)"/g)].map(([, codes]) => codes!.replace(/^ok\|/, '').split('|')));
    assert.ok(listed.length >= 5);
    for (const codes of listed) assert.deepEqual(codes.toSorted(), [...serviceFaultCodes].toSorted());
  });
});

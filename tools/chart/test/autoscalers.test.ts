import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { renderChart } from '../src/render-chart.ts';
import { requireEngine } from './engine.ts';
import { everything } from './values.ts';

interface Rule {
  seriesQuery: string;
  name: { as: string };
  metricsQuery: string;
}
interface Metric {
  pods?: { metric: { name: string } };
  external?: { metric: { name: string } };
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const rules = (parse(readFileSync(join(root, 'deploy/helm/prometheus-adapter.yaml'), 'utf8')) as { rules: Record<'custom' | 'external', Rule[]> })
  .rules;

describe('the metrics of the autoscalers', () => {
  it('the metrics of the autoscalers have the names of the rules for prometheus-adapter', function () {
    const objects = renderChart(requireEngine(this), everything).filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    const metrics = objects.flatMap(({ spec }) => (spec as { metrics: Metric[] }).metrics);
    const names = (kind: 'pods' | 'external'): string[] => metrics.flatMap((metric) => metric[kind]?.metric.name ?? []);
    assert.deepEqual(
      names('pods'),
      rules.custom.map(({ name }) => name.as),
    );
    assert.deepEqual(
      names('external'),
      rules.external.map(({ name }) => name.as),
    );
  });

  it('the autoscalers use only metrics that the services have', () => {
    const named = [...rules.custom, ...rules.external].flatMap((rule) =>
      [...`${rule.seriesQuery} ${rule.metricsQuery}`.matchAll(/perch_\w+/g)].map(([name]) => name),
    );
    assert.ok(named.length >= 4);
    for (const name of new Set(named)) {
      const metric = name.replace(/_bucket$/, '');
      const found = execFileSync('grep', ['-rlE', `^  ${metric}: `, 'packages/runtime/src/metrics'], { cwd: root, encoding: 'utf8' });
      assert.ok(found.trim() !== '', metric);
    }
  });
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { needsPromtool, type RuleGroup } from '@perch/testkit';
import { parse } from 'yaml';
import { renderChart } from '../src/render-chart.ts';
import { requireEngine } from './engine.ts';
import { defaults } from './values.ts';

const testFile = fileURLToPath(new URL('../../../deploy/prometheus/tests/installations.yml', import.meta.url));

interface PromtoolTests {
  group_eval_order: string[];
  tests: { input_series: { series: string }[] }[];
}

describe('the rules of two releases on one Prometheus', () => {
  it('name a production that is gone, as those of deploy/prometheus do, with the numbers of the values', function () {
    this.timeout(120_000);
    needsPromtool(this);
    const engine = requireEngine(this);
    const one = { replicas: 1 };
    const monitoring = { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true, runbookUrl: 'https://wiki.example.com/runbooks' } };
    const groups = ['production', 'staging'].flatMap((namespace) => {
      const values = { ...defaults, gateway: one, robotLink: one, renderer: one, webhooks: one, monitoring };
      const rules = renderChart(engine, values, 'perch', namespace).find(({ kind }) => kind === 'PrometheusRule')!;
      // promtool orders groups by name.
      return (rules['spec'] as { groups: RuleGroup[] }).groups.map((group) => ({ ...group, name: `${group.name} ${namespace}` }));
    });
    const { group_eval_order: order, tests, ...rest } = parse(readFileSync(testFile, 'utf8')) as PromtoolTests;
    // The first names what is gone; the rules themselves record what is expected.
    const [gone] = tests;
    gone!.input_series = gone!.input_series.filter(({ series }) => !series.startsWith('perch:'));
    const folder = mkdtempSync(join(tmpdir(), 'perch-chart-rules-'));
    try {
      // JSON is YAML.
      writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups }));
      const names = ['perch-expected', ...order].flatMap((name) => [`${name} production`, `${name} staging`]);
      writeFileSync(join(folder, 'test.yml'), JSON.stringify({ ...rest, rule_files: ['rules.yml'], group_eval_order: names, tests: [gone] }));
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', join(folder, 'test.yml')], { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

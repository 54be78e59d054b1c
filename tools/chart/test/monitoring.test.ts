import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsPromtool, ruleGroups, type AlertRule, type RecordingRule, type RuleGroup } from '@perch/testkit';
import { rulesOfCompose } from '../src/chart-files.ts';
import type { Values } from '../src/chart-values.ts';
import { renderChart } from '../src/render-chart.ts';
import type { TemplateEngine } from '../src/template-engine.ts';
import { requireEngine } from './engine.ts';
import { defaults, everything } from './values.ts';

const runbookUrl = 'https://wiki.example.com/perch/docs/runbooks';

describe('the rules of the chart', function () {
  let engine: TemplateEngine;
  before(function () {
    engine = requireEngine(this);
  });

  const withRules = (monitoring: object = {}, prometheusRule: object = {}, other: Values = {}): Values => ({
    ...defaults,
    ...other,
    monitoring: { ...monitoring, prometheusRule: { enabled: true, runbookUrl, ...prometheusRule } },
  });
  const groupsOf = (values: Values, release = 'perch'): RuleGroup[] =>
    renderChart(engine, values, release).flatMap(({ kind, spec }) => (kind === 'PrometheusRule' ? (spec as { groups: RuleGroup[] }).groups : []));
  const rulesOf = (values: Values, group: string): (AlertRule | RecordingRule)[] => groupsOf(values).find(({ name }) => name === group)?.rules ?? [];
  const expectedOf = (values: Values): Record<string, string> =>
    Object.fromEntries(rulesOf(values, 'perch-expected').flatMap((rule) => ('record' in rule ? [[rule.labels!['component'], rule.expr]] : [])));

  it('are those of deploy/prometheus/rules for the namespace of the release, and link to the runbooks of the value', () => {
    const files = [...ruleGroups()].filter(([name]) => !rulesOfCompose.includes(name)).toSorted(([one], [other]) => (one < other ? -1 : 1));
    const shipped = files.flatMap(([, groups]) => groups);
    const own = { name: 'perch-expected' };
    const rendered = groupsOf(withRules());
    assert.deepEqual(
      rendered.map(({ name, interval }) => ({ name, interval })),
      [own, ...shipped].map((group) => ({ name: group.name, interval: 'interval' in group ? group.interval : undefined })),
    );
    for (const [i, { rules }] of shipped.entries()) {
      for (const [j, rule] of rules.entries()) {
        const found = rendered[i + 1]!.rules[j]!;
        assert.deepEqual(
          { ...found, expr: found.expr.replaceAll(/namespace="robots"(?:, )?|\{\}/g, '').replaceAll('{}', '') },
          {
            ...rule,
            expr: rule.expr.replaceAll('{}', ''),
            ...('annotations' in rule && { annotations: { ...rule.annotations, runbook_url: `${runbookUrl}/${rule.alert}.md` } }),
          },
        );
        // Every selector names the installation, so that two releases with rules record and alert for themselves.
        for (const [, after] of found.expr.matchAll(/\b(?:perch[_:][a-z0-9_:]+|up\b(?=\{))(\{[^}]*)?/g))
          assert.match(after ?? '', /namespace="robots"/, found.expr);
      }
    }
  });

  it('expect as many instances as the values say, with autoscaling the fewest, and of optional services where they are enabled', () => {
    assert.deepEqual(expectedOf(withRules()), { gateway: 'vector(2)', 'robot-link': 'vector(2)', renderer: 'vector(2)', webhooks: 'vector(2)' });
    const scaled = { gateway: { autoscaling: { enabled: true, minReplicas: 3 } }, renderer: { replicas: 5 }, webhooks: { enabled: false } };
    assert.deepEqual(expectedOf(withRules({}, {}, scaled)), { gateway: 'vector(3)', 'robot-link': 'vector(2)', renderer: 'vector(5)' });
    assert.deepEqual(expectedOf(everything)['mqtt-bridge'], 'vector(1)');
    // The label `release` is that of the ServiceMonitors.
    const labelsOf = (values: Values): object | undefined => rulesOf(values, 'perch-expected')[0]!.labels;
    assert.deepEqual(labelsOf(withRules()), { component: 'gateway', namespace: 'robots' });
    const scraped = withRules({ serviceMonitor: { enabled: true } });
    assert.deepEqual(labelsOf(scraped), { component: 'gateway', namespace: 'robots', release: 'perch' });
  });

  it('expect what the Deployments ask for with expectedFrom: kube-state-metrics, and alert where it does not say', () => {
    const values = withRules({}, { expectedFrom: 'kube-state-metrics' });
    const deployment = 'kube_deployment_spec_replicas{namespace="robots", deployment="perch-gateway"}';
    assert.equal(expectedOf(values)['gateway'], `max(${deployment}) or vector(2)`);
    const alerts = rulesOf(values, 'perch-expected').filter((rule): rule is AlertRule => 'alert' in rule);
    assert.equal(alerts.length, 4);
    assert.deepEqual([alerts[0]!.alert, alerts[0]!.expr], ['PerchExpectationAbsent', `absent(${deployment})`]);
  });

  it('group by other labels where monitoring.groupBy names them, and need their values', () => {
    const values = withRules({ groupBy: ['cluster', 'namespace', 'release'], targetLabels: { cluster: 'eu-1' }, serviceMonitor: { enabled: true } });
    const [up] = rulesOf(values, 'perch-instances');
    const selected = '{cluster="eu-1", namespace="robots", release="perch"}';
    assert.equal(
      up!.expr,
      `count by (cluster, namespace, release, component) (perch_build_info${selected}) or 0 * perch:instances_expected${selected}`,
    );
    const [connected] = rulesOf(values, 'perch-robots');
    assert.match(connected!.expr, /^sum by \(cluster, namespace, release\) \(perch_link_sessions\{/);
    const monitor = renderChart(engine, values).find(({ kind }) => kind === 'ServiceMonitor')!;
    const [{ relabelings }] = (monitor['spec'] as { endpoints: [{ relabelings: { targetLabel?: string; replacement?: string }[] }] }).endpoints;
    assert.deepEqual(
      relabelings.flatMap(({ targetLabel, replacement }) => (replacement === undefined ? [] : [[targetLabel, replacement]])),
      [
        ['job', 'perch'],
        ['release', 'perch'],
        ['cluster', 'eu-1'],
      ],
    );
    assert.throws(() => groupsOf(withRules({ groupBy: ['cluster'] })), /monitoring\.targetLabels\.cluster: required/);
  });

  it('are grouped as the dashboards are, which link to the same runbooks', () => {
    const dashboardsOf = (monitoring: object): Record<string, string> =>
      Object.assign(
        {},
        ...renderChart(engine, { ...defaults, monitoring: { dashboards: { enabled: true }, ...monitoring } }).flatMap(({ kind, data }) =>
          kind === 'ConfigMap' ? [data] : [],
        ),
      ) as Record<string, string>;
    const shipped = dashboardsOf({});
    const linked = dashboardsOf({ prometheusRule: { runbookUrl: `${runbookUrl}/` } });
    const grouped = dashboardsOf({ groupBy: ['cluster', 'namespace'], targetLabels: { cluster: 'eu-1' } });
    assert.deepEqual(Object.keys(grouped), Object.keys(shipped));
    for (const [name, text] of Object.entries(shipped)) {
      assert.equal(linked[name], text.replaceAll('"docs/runbooks/', `"${runbookUrl}/`));
      const [one, other] = [text, grouped[name]!].map(
        (each) => JSON.parse(each) as { templating: { list: { name: string; definition?: string }[] } },
      );
      const variables = one!.templating.list.flatMap((variable) => (variable.name === 'namespace' ? ['cluster', 'namespace'] : [variable.name]));
      assert.deepEqual(
        other!.templating.list.map((variable) => variable.name),
        variables,
      );
      assert.equal(other!.templating.list[1]!.definition, 'label_values(perch_build_info, cluster)');
      const back = grouped[name]!.replaceAll('cluster=~\\"$cluster\\", ', '').replaceAll('cluster, namespace', 'namespace');
      assert.deepEqual({ ...(JSON.parse(back) as object), templating: null }, { ...one, templating: null });
    }
  });

  it('record what the load balancer failed where an expression is given', () => {
    assert.deepEqual(rulesOf(withRules(), 'perch-balancer'), []);
    const expr = 'rate(envoy_cluster_upstream_rq_total{envoy_response_code_class="5"}[5m])';
    assert.deepEqual(rulesOf(withRules({}, { balancerFailed: expr }), 'perch-balancer'), [
      { record: 'perch:balancer_failed:rate5m', expr: `sum(${expr})`, labels: { namespace: 'robots' } },
    ]);
  });

  it('need the URL of the runbooks', () => {
    assert.throws(() => groupsOf(withRules({}, { runbookUrl: '' })), /monitoring\.prometheusRule\.runbookUrl: required/);
    assert.throws(() => groupsOf(withRules({}, { runbookUrl: 'docs/runbooks' })), /runbookUrl/);
  });

  it('pass the checks of promtool, with every value', function () {
    needsPromtool(this);
    const folder = mkdtempSync(join(tmpdir(), 'perch-chart-rules-'));
    try {
      const sets = [
        withRules(),
        withRules(
          { groupBy: ['cluster', 'release', 'namespace'], targetLabels: { cluster: 'a "b"' } },
          { expectedFrom: 'kube-state-metrics', balancerFailed: 'x' },
        ),
      ];
      for (const values of sets) {
        const file = join(folder, 'rules.yml');
        writeFileSync(file, JSON.stringify({ groups: groupsOf(values) }));
        const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', '--lint=all', '--lint-fatal', file], { encoding: 'utf8' });
        assert.equal(status, 0, stdout + stderr);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

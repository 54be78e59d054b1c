import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { metricTable } from '@perch/runtime';
import { needsPromtool } from '@perch/testkit';
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { emptyInCalm } from '../src/empty-in-calm.js';
import { expressionsOf, fillIn, panelsOf } from '../src/expressions.js';
import { pageUids } from '../src/links.js';
import { fileText, pages } from '../src/pages.js';
import { groupBy } from '../src/promql.js';
import { readExpression } from './promql-tree.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, 'deploy/grafana');
const panels = pages.flatMap(({ name, dashboard }) => panelsOf(dashboard).map((panel) => ({ name, panel, place: `${name}: ${panel.title}` })));
const expressions = pages.flatMap(({ dashboard }) => expressionsOf(dashboard));
const filled = (expr: string): string => fillIn(expr, { rangeS: 3600, rateS: 60 });

/** Metrics that Perch does not expose: their prefix, and the source that a description must name. */
const foreign = [
  { prefix: 'haproxy_', source: 'HAProxy' },
  { prefix: 'redis_', source: 'redis_exporter' },
];
/** Node's metrics from prom-client, and those that Prometheus itself writes. */
const others: Record<string, readonly string[]> = {
  process_cpu_seconds_total: [],
  process_resident_memory_bytes: [],
  ALERTS: ['alertname', 'alertstate'],
};
/** Labels that Prometheus adds to a target. */
const targetLabels = ['instance', 'job', 'release', ...groupBy];

interface RuleFile {
  groups: { rules: { record?: string; alert?: string }[] }[];
}
const rules = readdirSync(join(root, 'deploy/prometheus/rules')).flatMap((file) =>
  (parse(readFileSync(join(root, 'deploy/prometheus/rules', file), 'utf8')) as RuleFile).groups.flatMap((group) => group.rules),
);
const recorded = new Set(rules.flatMap(({ record }) => record ?? []));

/** Includes those of a histogram's time series; null for an unknown metric. */
function labelsOf(metric: string): readonly string[] | null {
  const table = metricTable as Record<string, { type: string; labels: object }>;
  const direct = table[metric];
  if (direct !== undefined) return direct.type === 'histogram' ? null : Object.keys(direct.labels);
  const [, histogram, part] = /^(.+)_(bucket|sum|count)$/.exec(metric) ?? [];
  const row = histogram === undefined ? undefined : table[histogram];
  if (row?.type === 'histogram') return [...Object.keys(row.labels), ...(part === 'bucket' ? ['le'] : [])];
  if (recorded.has(metric)) return ['component'];
  return others[metric] ?? null;
}

const isForeign = (metric: string): boolean => foreign.some(({ prefix }) => metric.startsWith(prefix));

describe('Grafana dashboards', () => {
  it('the dashboards match their source', () => {
    assert.deepEqual(
      readdirSync(folder).sort(),
      pages.map(({ name }) => `${name}.json`).sort(),
      'deploy/grafana holds the dashboards and nothing else',
    );
    for (const page of pages) assert.equal(readFileSync(join(folder, `${page.name}.json`), 'utf8'), fileText(page), page.name);
  });

  it('the dashboards comprise at least 6 pages and 40 panels of the classic model, each page with a unique uid and title', () => {
    assert.ok(pages.length >= 6);
    assert.ok(panels.length >= 40);
    for (const { name, dashboard } of pages) {
      assert.ok(Array.isArray(dashboard.panels) && Array.isArray(dashboard.templating?.list), name);
      assert.equal(dashboard.uid, pageUids[name]);
    }
    assert.equal(new Set(pages.map(({ dashboard }) => dashboard.uid)).size, pages.length);
    assert.equal(new Set(pages.map(({ dashboard }) => dashboard.title)).size, pages.length);
  });

  it('each panel has a title, a unit, a description of at least one sentence, and named queries', () => {
    for (const { panel, place } of panels) {
      assert.ok(panel.title, place);
      assert.ok(panel.fieldConfig?.defaults?.unit, `${place}: unit`);
      assert.match(panel.description ?? '', /^[A-Z0-9].{20,}\.$/, `${place}: description`);
      assert.ok((panel.targets ?? []).length > 0, `${place}: queries`);
      for (const target of panel.targets ?? []) assert.ok((target as { legendFormat?: string }).legendFormat, `${place}: legend`);
    }
  });

  it('the panels of a section have unique titles', () => {
    for (const { name, dashboard } of pages) {
      let titles = new Set<string>();
      for (const panel of dashboard.panels ?? []) {
        if (panel.type === 'row') titles = new Set();
        assert.ok(!titles.has(panel.title!), `${name}: ${panel.title} is twice in a section`);
        titles.add(panel.title!);
      }
    }
  });

  it('panels have unique ids, lie within the page and do not overlap', () => {
    for (const { name, dashboard } of pages) {
      const all = dashboard.panels as Panel[];
      assert.equal(new Set(all.map(({ id }) => id)).size, all.length, name);
      const taken = new Set<string>();
      for (const { title, gridPos } of all) {
        const { x, y, w, h } = gridPos!;
        assert.ok(x >= 0 && w > 0 && h > 0 && x + w <= 24, `${name}: ${title} is outside the page`);
        for (let column = x; column < x + w; column++)
          for (let row = y; row < y + h; row++) {
            assert.ok(!taken.has(`${column} ${row}`), `${name}: ${title} overlaps another panel`);
            taken.add(`${column} ${row}`);
          }
      }
    }
  });

  it('every panel, query and variable takes the data source from a variable', () => {
    const chosen = { type: 'prometheus', uid: '${datasource}' };
    for (const { panel, place } of panels) {
      assert.deepEqual(panel.datasource, chosen, place);
      for (const target of panel.targets ?? []) assert.deepEqual((target as { datasource?: object }).datasource, chosen, place);
    }
    for (const { name, dashboard } of pages) {
      const [first, ...queried] = dashboard.templating!.list!;
      assert.deepEqual([first!.type, first!.name, first!.query], ['datasource', 'datasource', 'prometheus'], name);
      for (const variable of queried)
        assert.deepEqual([variable.type, variable.datasource, variable.multi], ['query', chosen, true], `${name}: ${variable.name}`);
    }
  });

  it('queries use other variables only in =~ matchers, and only those of their page', () => {
    for (const { name, dashboard } of pages) {
      const names = dashboard.templating!.list!.map((variable) => variable.name);
      for (const { expr, panel } of expressionsOf(dashboard)) {
        const place = `${name}: ${panel.title}: ${expr}`;
        const used = [...expr.matchAll(/\$\{?(\w+)\}?/g)].map((match) => match[1]!).filter((variable) => !variable.startsWith('__'));
        for (const variable of used) assert.ok(names.includes(variable), `${place}: ${variable} is not a variable of the page`);
        const inMatchers = readExpression(expr.replaceAll(/\$__\w+/g, '1m')).selectors.flatMap(({ matchers }) =>
          matchers.filter(({ value }) => value.includes('$')),
        );
        assert.equal(inMatchers.length, used.length, `${place}: a variable outside a matcher`);
        for (const { operator } of inMatchers) assert.equal(operator, '=~', place);
      }
    }
  });

  it('queries choose the installation in every selector of Perch, join by it, and know no 0 that would hide an installation that is gone', () => {
    for (const { expr, panel } of expressions) {
      const { selectors } = readExpression(filled(expr));
      for (const { metric, matchers } of selectors) {
        if (isForeign(metric) || matchers.some(({ value }) => value === 'PerchWatchdog' && metric === 'ALERTS')) continue;
        for (const label of groupBy)
          assert.ok(
            matchers.some((matcher) => matcher.label === label),
            `${panel.title}: ${expr}`,
          );
      }
      for (const [, labels] of expr.matchAll(/\bon \(([^)]*)\)/g)) for (const label of groupBy) assert.ok(labels!.split(', ').includes(label), expr);
      assert.doesNotMatch(expr, /vector\(0\)/, panel.title);
    }
  });

  it('queries compute rates over $__rate_interval', () => {
    for (const { expr, panel } of expressions) {
      const { ranges } = readExpression(expr.replaceAll('$__rate_interval', '111s').replaceAll('$__range', '222s'));
      for (const { window, inside } of ranges) {
        if (['rate', 'irate'].includes(inside)) assert.equal(window, '111s', `${panel.title}: ${expr}`);
        else assert.ok(['111s', '222s'].includes(window), `${panel.title}: a fixed window: ${expr}`);
      }
    }
  });

  it('the dashboards have valid PromQL expressions', () => {
    for (const { expr, panel } of expressions) assert.deepEqual(readExpression(filled(expr)).errors, [], `${panel.title}: ${expr}`);
  });

  it('promtool accepts the expressions of the dashboards', function () {
    needsPromtool(this);
    const work = mkdtempSync(join(tmpdir(), 'perch-dashboards-'));
    try {
      const file = join(work, 'expressions.yml');
      const asRules = expressions.map(({ expr }, index) => ({ record: `dashboard:expression:${index}`, expr: filled(expr) }));
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboards', rules: asRules }] }));
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    } finally {
      rmSync(work, { recursive: true });
    }
  });

  it('queries name only metrics of the table, with labels that they have', () => {
    for (const { page, expr, panel } of expressions) {
      const { selectors, groupings } = readExpression(filled(expr));
      const place = `${page}: ${panel.title}: ${expr}`;
      const known = new Set(targetLabels);
      assert.ok(selectors.length > 0, place);
      let outside = false;
      for (const { metric, matchers } of selectors) {
        if (isForeign(metric)) {
          outside = true;
          continue;
        }
        const labels = labelsOf(metric);
        assert.notEqual(labels, null, `${place}: ${metric} is not a metric of Perch or recorded by its rules`);
        for (const label of labels!) known.add(label);
        for (const { label } of matchers) assert.ok([...labels!, ...targetLabels].includes(label), `${place}: ${metric} has no label ${label}`);
      }
      if (!outside) for (const label of groupings) assert.ok(known.has(label), `${place}: no metric of it has the label ${label}`);
    }
  });

  it('queries match closed labels only by values that exist', () => {
    for (const { page, expr, panel } of expressions)
      for (const { metric, matchers } of readExpression(filled(expr)).selectors)
        for (const { label, operator, value } of matchers) {
          const row = (metricTable as Record<string, { labels: Record<string, readonly string[] | null> }>)[
            metric.replace(/_(bucket|sum|count)$/, '')
          ];
          const values = row?.labels[label];
          if (!values || value === '.*') continue;
          const asked = operator.endsWith('~') ? value.split('|') : [value];
          for (const each of asked) assert.ok(values.includes(each), `${page}: ${panel.title}: ${metric} has no ${label}="${each}"`);
        }
  });

  it('queries use histogram bounds that are buckets', () => {
    for (const { page, expr, panel } of expressions)
      for (const { metric, matchers } of readExpression(filled(expr)).selectors)
        for (const { value } of matchers.filter(({ label }) => label === 'le')) {
          const row = (metricTable as Record<string, { buckets?: readonly number[] }>)[metric.replace(/_bucket$/, '')];
          assert.ok(row?.buckets?.includes(Number(value)), `${page}: ${panel.title}: ${metric} has no bucket ${value}`);
        }
  });

  it('three quarters of the panels show data of Perch alone, and the others name their source', () => {
    let own = 0;
    for (const { panel, place } of panels) {
      const metrics = (panel.targets ?? []).flatMap((target) =>
        readExpression(filled((target as unknown as { expr: string }).expr)).selectors.map(({ metric }) => metric),
      );
      if (metrics.every((metric) => metric.startsWith('perch_'))) own++;
      for (const { prefix, source } of foreign)
        if (metrics.some((metric) => metric.startsWith(prefix)))
          assert.ok(panel.description!.includes(source), `${place}: the description does not name ${source}`);
      if (metrics.some((metric) => metric.startsWith('perch:'))) assert.match(panel.description!, /recording rules/, place);
    }
    assert.ok(own >= panels.length * 0.75, `${own} of ${panels.length}`);
  });

  it('the dashboards link to pages and runbooks that exist, and every page has the menu of all', () => {
    const uids = new Set<string>(Object.values(pageUids));
    for (const { panel, place } of panels)
      for (const { url } of panel.links ?? []) {
        const page = /^\/d\/([\w-]+)\?/.exec(url!)?.[1];
        if (page !== undefined) assert.ok(uids.has(page), `${place}: ${url}`);
        else assert.ok(existsSync(join(root, /docs\/runbooks\/\w+\.md$/.exec(url!)![0])), `${place}: ${url}`);
      }
    for (const { name, dashboard } of pages)
      assert.deepEqual(
        dashboard.links?.map(({ type, tags }) => ({ type, tags })),
        [{ type: 'dashboards', tags: ['perch'] }],
        name,
      );
  });

  it('every alert has a link to a panel', () => {
    const linked = new Set(panels.flatMap(({ panel }) => (panel.links ?? []).map(({ url }) => /docs\/runbooks\/(\w+)\.md$/.exec(url!)?.[1])));
    const alerts = new Set(rules.flatMap(({ alert }) => alert ?? []));
    assert.deepEqual(
      [...alerts].filter((alert) => !linked.has(alert)),
      [],
    );
  });

  it('the list of panels that may be empty on a healthy Perch names each once and with a reason', () => {
    const places = emptyInCalm.flatMap(({ page, panels }) => panels.map((panel) => `${page}: ${panel}`));
    assert.equal(new Set(places).size, places.length);
    const known = new Set(panels.map(({ place }) => place));
    assert.deepEqual(
      places.filter((place) => !known.has(place)),
      [],
    );
    for (const { reason } of emptyInCalm) assert.match(reason, /\.$/);
  });
});

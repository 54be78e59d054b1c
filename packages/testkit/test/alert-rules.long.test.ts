import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alertRules, allRules, needsPromtool, ruleFolder, ruleGroups } from '@perch/testkit';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const testFolder = join(root, 'deploy/prometheus/tests');
const testFiles = readdirSync(testFolder).filter((name) => name.endsWith('.yml'));
const runbookFolder = join(root, 'docs/runbooks');
const runbooks = readdirSync(runbookFolder).filter((name) => /^Perch\w+\.md$/.test(name));
const names = [...new Set(alertRules().map(({ alert }) => alert))].toSorted();

/** The watchdog has no cause that could begin or end. */
const endless = ['PerchWatchdog'];

interface TestFile {
  tests: {
    name: string;
    alert_rule_test?: { eval_time: string; alertname: string; exp_alerts: object[] }[];
    promql_expr_test?: { eval_time: string; expr: string; exp_samples: object[] }[];
  }[];
}

interface Check {
  minute: number;
  fires: boolean;
}

async function promtool(...args: string[]): Promise<string> {
  const child = spawn('promtool', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 0, output);
  return output;
}

/** The checks of each test of each alert, in the order of time. */
function checksOf(): Map<string, Check[][]> {
  const found = new Map<string, Check[][]>();
  for (const file of testFiles) {
    for (const { alert_rule_test: alerts = [], promql_expr_test: queries = [] } of (parse(readFileSync(join(testFolder, file), 'utf8')) as TestFile)
      .tests) {
      const ofTest = new Map<string, Check[]>();
      const note = (alert: string, time: string, expected: readonly object[]): void => {
        ofTest.set(alert, [...(ofTest.get(alert) ?? []), { minute: minutes(time), fires: expected.length > 0 }]);
      };
      for (const { eval_time, alertname, exp_alerts } of alerts) note(alertname, eval_time, exp_alerts);
      for (const { eval_time, expr, exp_samples } of queries) {
        const alert = /ALERTS\{alertname="(\w+)"/.exec(expr)?.[1];
        if (alert !== undefined && !expr.includes('alertstate="pending"')) note(alert, eval_time, exp_samples);
      }
      for (const [alert, checks] of ofTest)
        found.set(alert, [...(found.get(alert) ?? []), checks.toSorted((one, other) => one.minute - other.minute)]);
    }
  }
  return found;
}

function minutes(time: string): number {
  const inUnit: Record<string, number> = { d: 1440, h: 60, m: 1, s: 1 / 60 };
  return [...time.matchAll(/(\d+)([dhms])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * inUnit[unit!]!, 0);
}

/** Calm, then firing, about 40 minutes and about 4 hours later as at every check between, and then calm. */
function lasts(checks: readonly Check[]): boolean {
  return checks.some(({ fires, minute: begun }, i) => {
    if (!fires || checks[i - 1]?.fires !== false) return false;
    const ended = checks.findIndex((check, at) => at > i && !check.fires);
    const after = checks.slice(i, Math.max(i, ended)).map(({ minute }) => minute - begun);
    return after.some((minute) => minute >= 30 && minute <= 60) && after.at(-1)! >= 230;
  });
}

describe('the rules of deploy/prometheus/rules', () => {
  describe('with promtool', function () {
    before(function () {
      needsPromtool(this);
    });

    it('passes the checks of promtool without warnings', async () => {
      const output = await promtool(
        'check',
        'rules',
        '--lint=all',
        '--lint-fatal',
        ...[...ruleGroups().keys()].map((name) => join(ruleFolder, name)),
      );
      assert.doesNotMatch(output, /FAILED|warn|duplicate/i);
    });

    it('passes them with other grouping labels, which replace the word namespace', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'perch-rules-'));
      try {
        for (const name of ruleGroups().keys())
          writeFileSync(join(folder, name), readFileSync(join(ruleFolder, name), 'utf8').replaceAll(/\bnamespace\b/g, 'cluster, namespace'));
        await promtool('check', 'rules', '--lint=all', '--lint-fatal', ...[...ruleGroups().keys()].map((name) => join(folder, name)));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it('knows each installation by the targets and the expectation of docs/operate/monitoring.md', async () => {
      const blocks = [...readFileSync(join(root, 'docs/operate/monitoring.md'), 'utf8').matchAll(/^```yaml\n# (\S+)\n([^`]*)^```/gm)];
      const [config, expected] = ['prometheus.yml', 'rules/expected.yml'].map((file) => blocks.find(([, name]) => name === file)![2]!);
      const { scrape_configs: jobs } = parse(config!) as { scrape_configs: { job_name: string; static_configs: { labels: object }[] }[] };
      const targets = jobs.find(({ job_name: job }) => job === 'perch')!.static_configs.map(({ labels }) => labels);
      const gone = { namespace: 'staging', component: 'gateway' };
      assert.deepEqual(targets, [{ namespace: 'production', component: 'gateway' }, gone]);
      const series = (['1x130', '1x60 stale'] as const).map((values, at) => {
        const labels = Object.entries(targets[at]!).map(([name, value]) => `${name}="${value}"`);
        return { series: `perch_build_info{${labels.join()}, instance="${at}", version="1"}`, values };
      });
      const alerts = (time: string, ...labels: object[]): object => ({
        eval_time: time,
        expr: 'count by (namespace, component) (ALERTS{alertname="PerchServiceGone", alertstate="firing"})',
        exp_samples: labels.map((one) => ({
          labels: `{${Object.entries(one)
            .map(([name, value]) => `${name}="${value}"`)
            .join()}}`,
          value: 1,
        })),
      });
      const folder = mkdtempSync(join(tmpdir(), 'perch-rules-'));
      try {
        writeFileSync(join(folder, 'prometheus.yml'), config!);
        await promtool('check', 'config', join(folder, 'prometheus.yml'));
        writeFileSync(join(folder, 'expected.yml'), expected!);
        const rules = { rule_files: ['expected.yml', join(ruleFolder, 'instances.yml')], evaluation_interval: '1m' };
        const test = { interval: '1m', input_series: series, promql_expr_test: [alerts('30m'), alerts('70m', gone), alerts('120m', gone)] };
        writeFileSync(join(folder, 'test.yml'), JSON.stringify({ ...rules, tests: [test] }));
        await promtool('test', 'rules', join(folder, 'test.yml'));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    for (const file of testFiles) {
      it(`passes the tests of deploy/prometheus/tests/${file}`, () => promtool('test', 'rules', join(testFolder, file)));
    }
  });

  it('has for each alert a test in which it begins, goes on 40 minutes and 4 hours later, and ends', () => {
    const tested = checksOf();
    assert.deepEqual([...tested.keys()].toSorted(), names);
    const missing = names.filter((alert) => !endless.includes(alert) && !tested.get(alert)!.some(lasts));
    assert.deepEqual(missing, []);
  });

  it('gives each alert a severity, a summary, a description, and a runbook with its name', () => {
    for (const { alert, labels, annotations } of alertRules()) {
      assert.match(labels.severity, alert === 'PerchWatchdog' ? /^none$/ : /^(?:critical|warning)$/, alert);
      assert.match(annotations.summary, /\.$/, alert);
      assert.match(annotations.description, /\.$/, alert);
      assert.equal(annotations.runbook_url, `{{ $externalLabels.perch_docs }}docs/runbooks/${alert}.md`);
    }
  });

  it('uses neither absent(), because optional services may not run, nor a zero that no expectation gives', () => {
    for (const { expr } of allRules()) assert.doesNotMatch(expr, /\babsent(?:_over_time)?\b|vector\(0\)/);
  });

  it('groups by the installation wherever it adds up, and knows the label as a label of groupings alone', () => {
    for (const { expr } of allRules()) {
      for (const [, by = ''] of expr.matchAll(/(?<![:\w])(?:sum|count|min|max|quantile)\b( by \(\w+)?/g)) assert.equal(by, ' by (namespace', expr);
      for (const [, labels] of expr.matchAll(/\bon \(([^)]*)\)/g)) assert.match(labels!, /^namespace\b/, expr);
      assert.doesNotMatch(expr, /namespace *[=!]/, expr);
    }
    for (const { annotations } of alertRules()) assert.doesNotMatch(JSON.stringify(annotations), /namespace/);
  });

  it('defines every recording rule that the rules read', () => {
    const recorded = new Set(allRules().flatMap((rule) => ('record' in rule ? [rule.record] : [])));
    const read = new Set(allRules().flatMap(({ expr }) => expr.match(/perch:[\w:]+/g) ?? []));
    assert.deepEqual(
      [...read].filter((name) => !recorded.has(name)),
      [],
    );
  });
});

describe('deploy/alertmanager/alertmanager.yml', () => {
  it('groups and inhibits by the installation, repeats critical alerts every hour, and sends the watchdog to a receiver of its own', () => {
    const { route, inhibit_rules: inhibits } = parse(readFileSync(join(root, 'deploy/alertmanager/alertmanager.yml'), 'utf8')) as {
      route: {
        receiver: string;
        group_by: string[];
        repeat_interval: string;
        routes: { matchers: string[]; receiver?: string; repeat_interval: string }[];
      };
      inhibit_rules: { equal: string[] }[];
    };
    for (const labels of [route.group_by, ...inhibits.map(({ equal }) => equal)]) assert.equal(labels[0], 'namespace');
    const routes = Object.fromEntries(route.routes.map(({ matchers, receiver, repeat_interval: repeat }) => [matchers.join(), [receiver, repeat]]));
    assert.deepEqual(routes, { 'severity = critical': [undefined, '1h'], 'alertname = PerchWatchdog': ['watchdog', '1m'] });
    assert.deepEqual([route.receiver, route.repeat_interval], ['page', '1d']);
  });
});

describe('the runbooks', () => {
  it('runbooks exist for exactly the alerts, and are all listed in README.md', () => {
    assert.deepEqual(runbooks.toSorted(), names.map((name) => `${name}.md`).toSorted());
    const listed = [...readFileSync(join(runbookFolder, 'README.md'), 'utf8').matchAll(/^\| \[(\w+)\]\(\1\.md\) \|/gm)].map(([, name]) => name);
    assert.deepEqual(listed.toSorted(), names);
  });

  it('runbooks have all sections: meaning, first look, causes and end of the alert', () => {
    for (const file of runbooks) {
      const page = readFileSync(join(runbookFolder, file), 'utf8');
      const headings = [...page.matchAll(/^##? (.+)$/gm)].map(([, heading]) => heading);
      assert.deepEqual(
        headings,
        [file.replace('.md', ''), 'What it means for users', 'First look', 'Causes, the most likely first', 'Over when'],
        file,
      );
      const severities = alertRules().filter(({ alert }) => `${alert}.md` === file);
      for (const { labels } of severities) assert.match(page, new RegExp(`^Severity: .*\\b${labels.severity}\\b`, 'm'), file);
    }
  });
});

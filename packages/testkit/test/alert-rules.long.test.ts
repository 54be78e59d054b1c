import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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

interface TestFile {
  tests: {
    alert_rule_test?: { alertname: string; exp_alerts: object[] }[];
    promql_expr_test?: { expr: string; exp_samples: object[] }[];
  }[];
}

async function promtool(...args: string[]): Promise<string> {
  const child = spawn('promtool', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 0, output);
  return output;
}

function expectations(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const note = (alert: string, expected: readonly object[]): void => {
    found.set(alert, (found.get(alert) ?? new Set()).add(expected.length > 0 ? 'fires' : 'calm'));
  };
  for (const file of testFiles) {
    for (const { alert_rule_test: alerts = [], promql_expr_test: queries = [] } of (parse(readFileSync(join(testFolder, file), 'utf8')) as TestFile)
      .tests) {
      for (const { alertname, exp_alerts: expected } of alerts) note(alertname, expected);
      for (const { expr, exp_samples: expected } of queries) {
        const alert = /alertname="(\w+)"/.exec(expr)?.[1];
        if (alert !== undefined) note(alert, expected);
      }
    }
  }
  return found;
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

    for (const file of testFiles) {
      it(`passes the tests of deploy/prometheus/tests/${file}`, () => promtool('test', 'rules', join(testFolder, file)));
    }
  });

  it('has for each alert a test in which it fires and one in which it does not, and no tests of unknown alerts', () => {
    const tested = expectations();
    assert.deepEqual([...tested.keys()].toSorted(), names);
    for (const [alert, expected] of tested) assert.deepEqual([...expected].toSorted(), ['calm', 'fires'], alert);
  });

  it('gives each alert a severity, a summary, a description, and a runbook with its name', () => {
    for (const { alert, labels, annotations } of alertRules()) {
      assert.match(labels.severity, /^(?:critical|warning)$/, alert);
      assert.match(annotations.summary, /\.$/, alert);
      assert.match(annotations.description, /\.$/, alert);
      assert.equal(annotations.runbook_url, `{{ $externalLabels.perch_docs }}docs/runbooks/${alert}.md`);
    }
  });

  it('does not use absent(), because optional services may not run', () => {
    for (const { expr } of allRules()) assert.doesNotMatch(expr, /\babsent(?:_over_time)?\b/);
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

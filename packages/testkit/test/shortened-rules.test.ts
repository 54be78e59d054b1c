import assert from 'node:assert/strict';
import { allRules, ruleGroups } from '@perch/testkit';
import { shortenedExpression, shortenedGroup } from '../src/prometheus/shortened-rules.js';

describe('shortened alert rules', () => {
  it('shortens ranges, subqueries and offsets, but not other numbers and names', () => {
    const expr = 'sum_over_time(a_5m:rate5m{x="1h"}[1h30m:15s] offset 2d) * 15 > 14.4 * 0.001';
    assert.equal(shortenedExpression(expr, 30), 'sum_over_time(a_5m:rate5m{x="1h"}[180000ms:500ms] offset 5760000ms) * 15 > 14.4 * 0.001');
  });

  it('limits the time for which a condition must hold, and replaces a threshold at the end of an expression', () => {
    const alert = { alert: 'Late', expr: 'max(age_seconds) > 60', for: '1h', labels: { severity: 'warning' } };
    const group = { name: 'a', rules: [{ ...alert, annotations: { summary: '', description: '', runbook_url: '' } }] };
    const [rule] = shortenedGroup(group, { rangesBy: 30, forBy: 60, forMaxMs: 10_000, thresholds: { Late: 6 } }).rules;
    assert.deepEqual([rule!.expr, 'for' in rule! && rule.for], ['max(age_seconds) > 6', '10000ms']);
    const wrong = { ...group, rules: [{ ...group.rules[0]!, expr: 'a > on () b' }] };
    assert.throws(() => shortenedGroup(wrong, { rangesBy: 1, forBy: 1, thresholds: { Late: 6 } }), /does not end with a threshold/);
  });

  it('makes no range shorter than the given one', () => {
    assert.equal(shortenedExpression('rate(a[1m]) / rate(a[1h])', 60, 2000), 'rate(a[2000ms]) / rate(a[60000ms])');
  });

  it('changes only times in the shipped rules', () => {
    const withoutTimes = (expr: string): string => expr.replaceAll(/\[[^\]]*\]/g, '[]').replaceAll(/\boffset +\w+/g, 'offset');
    for (const { expr } of allRules()) assert.equal(withoutTimes(shortenedExpression(expr, 30)), withoutTimes(expr));
    for (const groups of ruleGroups().values()) {
      for (const group of groups) {
        const shortened = shortenedGroup(group, { rangesBy: 30, forBy: 60 });
        for (const [i, rule] of group.rules.entries()) {
          const wanted = 'for' in rule ? { ...rule, for: 0 } : rule;
          const { expr: _, ...rest } = { ...shortened.rules[i]!, ...('for' in rule && { for: 0 }) };
          assert.deepEqual({ ...rest, expr: 0 }, { ...wanted, expr: 0 });
        }
      }
    }
  });
});

import assert from 'node:assert/strict';
import { allRules, ruleGroups } from '@perch/testkit';
import { shortenedExpression, shortenedGroup } from '../src/prometheus/shortened-rules.js';

describe('shortened alert rules', () => {
  it('shortens ranges, subqueries and offsets, but not other numbers and names', () => {
    const expr = 'sum_over_time(a_5m:rate5m{x="1h"}[1h30m:15s] offset 2d) * 15 > 14.4 * 0.001';
    assert.equal(shortenedExpression(expr, 30), 'sum_over_time(a_5m:rate5m{x="1h"}[180000ms:500ms] offset 5760000ms) * 15 > 14.4 * 0.001');
  });

  it('changes only times in the shipped rules', () => {
    const withoutTimes = (expr: string): string => expr.replaceAll(/\[[^\]]*\]/g, '[]');
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

/**
 * Shortens the times in the rules of deploy/prometheus/rules, so that a test with a real Prometheus takes seconds.
 *
 * `rangesBy` divides the ranges and offsets in expressions (`[5m]`) and the intervals of groups, `forBy` the time for which a condition must hold
 * (`for`). Thresholds are not changed, except those given, and neither are numbers of seconds in multiplications; rules that count failures in a window are
 * therefore stricter by the factor `rangesBy`. The tests of deploy/prometheus/tests check the real times and thresholds.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ruleGroups, type RuleGroup } from './alert-rules.js';

export interface Shortening {
  rangesBy: number;
  /** Shortest range or offset after the division. A range needs two scrapes. */
  rangeMinMs?: number;
  forBy: number;
  /** Longest `for` after the division. */
  forMaxMs?: number;
  /** Thresholds in place of those that compare with a time, by alert: the number at the end of the expression. */
  thresholds?: Readonly<Record<string, number>>;
  /** Numbers of instances in place of those of expected.yml. */
  expected?: readonly { labels: Readonly<Record<string, string>>; count: number }[];
}

export function writeShortenedRules(folder: string, by: Shortening): string[] {
  return [...ruleGroups()].map(([name, groups]) => {
    const file = join(folder, name);
    const groupsThere = name === 'expected.yml' && by.expected !== undefined ? [expectations(by.expected)] : groups;
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: groupsThere.map((group) => shortenedGroup(group, by)) }));
    return file;
  });
}

function expectations(expected: NonNullable<Shortening['expected']>): RuleGroup {
  const rules = expected.map(({ labels, count }) => ({ record: 'perch:instances_expected', expr: `vector(${count})`, labels }));
  return { name: 'perch-expected', rules };
}

export function shortenedGroup(group: RuleGroup, { rangesBy, rangeMinMs = 1, forBy, forMaxMs = Infinity, thresholds = {} }: Shortening): RuleGroup {
  return {
    ...group,
    ...(group.interval !== undefined && { interval: shorter(group.interval, rangesBy) }),
    rules: group.rules.map((rule) => ({
      ...rule,
      expr: withThreshold(shortenedExpression(rule.expr, rangesBy, rangeMinMs), 'alert' in rule ? thresholds[rule.alert] : undefined),
      ...('for' in rule && rule.for !== undefined && { for: shorter(rule.for, forBy, { maxMs: forMaxMs }) }),
    })),
  };
}

export function shortenedExpression(expr: string, by: number, minMs = 1): string {
  const duration = /(?:\d+(?:ms|[smhdwy]))+/g;
  return expr.replaceAll(/\[[^\]]+\]|\boffset +\S+/g, (range) => range.replaceAll(duration, (each) => shorter(each, by, { minMs })));
}

function withThreshold(expr: string, threshold: number | undefined): string {
  if (threshold === undefined) return expr;
  const changed = expr.replace(/\d+(?=\s*$)/, String(threshold));
  if (changed === expr) throw new Error(`${expr} does not end with a threshold`);
  return changed;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 };

/** Divides a duration in the notation of Prometheus, such as `1h30m`. */
function shorter(duration: string, by: number, { minMs = 1, maxMs = Infinity } = {}): string {
  const ms = [...duration.matchAll(/(\d+)(ms|[smhdwy])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * unitMs[unit!]!, 0);
  return `${Math.min(Math.max(minMs, Math.round(ms / by)), maxMs)}ms`;
}

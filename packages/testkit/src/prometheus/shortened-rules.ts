/**
 * Shortens the times in the rules of deploy/prometheus/rules, so that a test with a real Prometheus takes seconds.
 *
 * `rangesBy` divides the ranges and offsets in expressions (`[5m]`) and the intervals of groups, `forBy` the time for which a condition must hold
 * (`for`). Thresholds are not changed, and neither are numbers of seconds in multiplications; rules that count failures in a window are therefore
 * stricter by the factor `rangesBy`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ruleGroups, type RuleGroup } from './alert-rules.js';

export interface Shortening {
  rangesBy: number;
  forBy: number;
}

/** Writes the rule files into a folder. @returns their paths */
export function writeShortenedRules(folder: string, by: Shortening): string[] {
  return [...ruleGroups()].map(([name, groups]) => {
    const file = join(folder, name);
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: groups.map((group) => shortenedGroup(group, by)) }));
    return file;
  });
}

export function shortenedGroup(group: RuleGroup, { rangesBy, forBy }: Shortening): RuleGroup {
  return {
    ...group,
    ...(group.interval !== undefined && { interval: shorter(group.interval, rangesBy) }),
    rules: group.rules.map((rule) => ({
      ...rule,
      expr: shortenedExpression(rule.expr, rangesBy),
      ...('for' in rule && rule.for !== undefined && { for: shorter(rule.for, forBy) }),
    })),
  };
}

/** Shortens the ranges (`[5m]`, `[1h:1m]`) and offsets of an expression. */
export function shortenedExpression(expr: string, by: number): string {
  const duration = /(?:\d+(?:ms|[smhdwy]))+/g;
  return expr.replaceAll(/\[[^\]]+\]|\boffset +\S+/g, (range) => range.replaceAll(duration, (each) => shorter(each, by)));
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 };

/** Divides a duration in the notation of Prometheus, such as `1h30m`. */
function shorter(duration: string, by: number): string {
  const ms = [...duration.matchAll(/(\d+)(ms|[smhdwy])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * unitMs[unit!]!, 0);
  return `${Math.max(1, Math.round(ms / by))}ms`;
}

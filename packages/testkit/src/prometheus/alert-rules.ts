import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const clone = fileURLToPath(new URL('../../../..', import.meta.url));

export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

export interface RecordingRule {
  record: string;
  expr: string;
  labels?: Record<string, string>;
}

export interface RuleGroup {
  name: string;
  interval?: string;
  rules: (AlertRule | RecordingRule)[];
}

export const ruleFolder = join(clone, 'deploy/prometheus/rules');

export function ruleGroups(): Map<string, RuleGroup[]> {
  const files = readdirSync(ruleFolder).filter((name) => name.endsWith('.yml'));
  return new Map(files.map((name) => [name, (parse(readFileSync(join(ruleFolder, name), 'utf8')) as { groups: RuleGroup[] }).groups]));
}

/** An alert with two severities occurs twice. */
export function alertRules(): AlertRule[] {
  return allRules().filter((rule) => 'alert' in rule);
}

export function allRules(): (AlertRule | RecordingRule)[] {
  return [...ruleGroups().values()].flatMap((groups) => groups.flatMap(({ rules }) => rules));
}

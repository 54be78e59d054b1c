import { wholeNumber } from '../option-values.js';
import type { Command } from 'commander';
import { labelKeyProblem, labelProblem } from '@perch/schema/plain';
import { Refused } from '../refused.js';

export interface RobotFilterOptions {
  online?: boolean;
  firmware?: string;
  label?: string[];
  limit?: number;
}

export function withRobotFilter(command: Command): Command {
  return command
    .option('--online', 'only robots that are online')
    .option('--no-online', 'only robots that are offline')
    .option('--firmware <text>', 'only robots with exactly this firmware')
    .option('--label <key=value>', 'only robots with this label; if given more than once, only robots with all of them', labelOption)
    .option('--limit <number>', 'maximum number of robots, ascending by id (default: all)', wholeNumber('--limit'));
}

/** Labels on the command line: `--label key=value` filters a list, `key=value` sets one, `key-` removes one. */
export function labelOption(label: string, before: readonly string[] = []): string[] {
  const problem = labelProblem(label);
  if (problem !== null) throw new Refused(`--label ${JSON.stringify(label)}: ${problem}`, 'usage');
  return [...before, label];
}

export function labelChange(changes: readonly string[]): { set: Record<string, string>; remove: string[] } {
  const set = new Map<string, string>();
  const remove = new Set<string>();
  for (const change of changes) {
    const at = change.indexOf('=');
    const key = at === -1 ? change.slice(0, -1) : change.slice(0, at);
    const problem = at === -1 ? removalProblem(change, key) : labelProblem(change);
    if (problem !== null) throw new Refused(`${JSON.stringify(change)}: ${problem}`, 'usage');
    if (set.has(key) || remove.has(key)) throw new Refused(`${JSON.stringify(change)}: the key ${key} is given more than once`, 'usage');
    if (at === -1) remove.add(key);
    else set.set(key, change.slice(at + 1));
  }
  return { set: Object.fromEntries(set), remove: [...remove] };
}

function removalProblem(change: string, key: string): string | null {
  return change.endsWith('-') ? labelKeyProblem(key) : 'must be key=value, which sets a label, or key-, which removes one';
}

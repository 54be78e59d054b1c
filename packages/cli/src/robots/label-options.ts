/** Labels on the command line: `--label key=value` filters a list, `key=value` sets one, `key-` removes one. */
import { labelKeyProblem, labelProblem } from '@perch/schema/plain';
import { Refused } from '../refused.js';

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

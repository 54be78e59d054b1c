import { nameProblem } from '@perch/schema/plain';
import { Refused } from '../refused.js';
import type { Store } from '@perch/store';

/** Trims the name. @throws {Refused} for a name that the web console also rejects */
export function nameOption(text: string): string {
  const name = text.trim();
  const problem = nameProblem(name);
  if (problem !== null) throw new Refused(`--name: ${problem}`, 'usage');
  return name;
}

/** @param list ids from the option --robots, separated by commas */
export async function ownRobots(store: Store, account: string, list: string): Promise<string[]> {
  const wanted = list
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  if (wanted.length === 0) throw new Refused('--robots: must name at least one robot', 'usage');
  const foreign = wanted[await store.robots.firstForeign(account, wanted)];
  if (foreign !== undefined) throw new Refused(`--robots: the account ${account} has no robot ${foreign}`);
  return wanted;
}

import type { Store } from '@perch/store';
import { Refused } from '../refused.js';

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

/** The table of settings in docs/operate.md, for the tests of the services whose settings it lists. */
import { readFileSync } from 'node:fs';

export interface DocumentedSetting {
  env: string;
  default: string;
  description: string;
}

/** Those of one service, in the page's order. */
export function documentedSettings(service: string): DocumentedSetting[] {
  const page = readFileSync(new URL('../../../docs/operate.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^\| `(PERCH_\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
    .filter(([, , services]) => services === 'all' || services!.split(', ').includes(service))
    .map(([, env, , value, description]) => ({ env: env!, default: value!, description: description! }));
}

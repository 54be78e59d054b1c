/** The README's table of settings, for the tests of the services whose settings it lists. */
import { readFileSync } from 'node:fs';

export interface DocumentedSetting {
  env: string;
  default: string;
  description: string;
}

/** Those of one service, in the README's order. */
export function documentedSettings(service: string): DocumentedSetting[] {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  return [...readme.matchAll(/^\| `(PERCH_\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
    .filter(([, , services]) => services === 'all' || services!.split(', ').includes(service))
    .map(([, env, , value, description]) => ({ env: env!, default: value!, description: description! }));
}

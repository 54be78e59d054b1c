/** Reads the table of settings in docs/operate.md, for tests of the services. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface DocumentedSetting {
  env: string;
  default: string;
  description: string;
}

const clone = fileURLToPath(new URL('../../..', import.meta.url));

/** In the order of the page. @param root folder of the source tree whose page is read */
export function documentedSettings(service: string, root = clone): DocumentedSetting[] {
  const page = readFileSync(join(root, 'docs/operate.md'), 'utf8');
  return [...page.matchAll(/^\| `(PERCH_\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
    .filter(([, , services]) => services === 'all' || services!.split(', ').includes(service))
    .map(([, env, , value, description]) => ({ env: env!, default: value!, description: description! }));
}

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
  return allDocumentedSettings(root).flatMap(({ services, ...setting }) => (services === 'all' || services.includes(service) ? [setting] : []));
}

/** Those of every service. `all`: the four that share Redis. */
export function allDocumentedSettings(root = clone): (DocumentedSetting & { services: 'all' | string[] })[] {
  const page = readFileSync(join(root, 'docs/operate.md'), 'utf8');
  return [...page.matchAll(/^\| `(PERCH_\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, env, services, value, description]) => ({
    env: env!,
    default: value!,
    description: description!,
    services: services === 'all' ? services : services!.split(', '),
  }));
}

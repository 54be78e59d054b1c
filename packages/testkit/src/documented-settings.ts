/** Reads the tables of settings in docs/operate, for tests of the services. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface DocumentedSetting {
  env: string;
  default: string;
  description: string;
}

/** With tables of settings, in the order of the code; releases up to 0.10.1 have one table, in the last of them. */
export const settingPages = [
  'docs/operate/settings.md',
  'docs/operate/settings-gateway.md',
  'docs/operate/settings-limits.md',
  'docs/operate.md',
] as const;

const clone = fileURLToPath(new URL('../../..', import.meta.url));

/** In the order of the pages. @param root folder of the source tree whose pages are read */
export function documentedSettings(service: string, root = clone): DocumentedSetting[] {
  return allDocumentedSettings(root)
    .filter(({ services }) => services === 'all' || services.includes(service))
    .map(({ env, default: value, description }) => ({ env, default: value, description }));
}

/** Those of every service. `all`: the four that share Redis. */
export function allDocumentedSettings(root = clone): (DocumentedSetting & { services: 'all' | string[]; page: string })[] {
  return settingPages.flatMap((page) => {
    const path = join(root, page);
    return existsSync(path) ? settingsOfPage(readFileSync(path, 'utf8')).map((setting) => ({ ...setting, page })) : [];
  });
}

/** @param text a page in Markdown */
export function settingsOfPage(text: string): (DocumentedSetting & { services: 'all' | string[] })[] {
  return [...text.matchAll(/^\| `(PERCH_\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, env, services, value, description]) => ({
    env: env!,
    default: value!,
    description: description!,
    services: services === 'all' ? services : services!.split(', '),
  }));
}

/** The page of a setting: which services read it, its default and its meaning, from the tables in docs/operate, which the services' code is compared with. */
import { allDocumentedSettings } from '@perch/testkit';
import { page } from './markdown.js';

export type Setting = ReturnType<typeof allDocumentedSettings>[number];

/** Sorted by name. */
export function allSettings(): Setting[] {
  return allDocumentedSettings().toSorted((a, b) => a.env.localeCompare(b.env));
}

export function readersOf({ services }: Setting): string {
  return services === 'all' ? 'gateway, robot-link, renderer, webhooks' : services.join(', ');
}

export function settingPage(setting: Setting): string {
  const { env, default: value, description, page: table } = setting;
  const standard = { required: 'It is required.', '-': 'It is not set by default.' }[value] ?? `Default: ${value}.`;
  return page(
    `\`${env}\``,
    description,
    `${standard} Read by ${readersOf(setting)} at its start; a value that is not valid ends the start with an error that names the setting.`,
    `With others in [a table](../../${table.replace('docs/', '')}).`,
  );
}

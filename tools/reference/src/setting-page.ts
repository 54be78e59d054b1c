/** The page of a setting: which services read it, its default and its meaning, from the table in docs/operate.md, which the services' code is compared with. */
import { documentedSettings } from '@perch/testkit';
import { page } from './markdown.js';

const services = ['gateway', 'robot-link', 'renderer', 'webhooks'] as const;

export interface Setting {
  env: string;
  default: string;
  description: string;
  services: readonly string[];
}

/** By name. */
export function allSettings(): Setting[] {
  const settings = new Map<string, Setting>();
  for (const service of services)
    for (const setting of documentedSettings(service))
      settings.set(setting.env, { ...setting, services: [...(settings.get(setting.env)?.services ?? []), service] });
  return [...settings.values()].toSorted((a, b) => a.env.localeCompare(b.env));
}

export function settingPage({ env, default: value, description, services: readers }: Setting): string {
  const standard = { required: 'It is required.', '-': 'It is not set by default.' }[value] ?? `Default: ${value}.`;
  return page(
    `\`${env}\``,
    description,
    `${standard} Read by ${readers.length === services.length ? 'every service' : readers.join(', ')} at its start; a value that is not valid ends the start with an error that names the setting.`,
    'All settings are in [the table](../../operate.md#settings).',
  );
}

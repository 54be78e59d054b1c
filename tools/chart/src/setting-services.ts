/** The chart's templates read these services from files/settings.yaml; the source is the table of settings in the documents, which tests of the services hold against the code. */
import { allDocumentedSettings, documentedSettings, type DocumentedSetting } from '@perch/testkit';

export const services = ['gateway', 'robot-link', 'renderer', 'webhooks', 'mqtt-bridge', 'probe'] as const;
export type ChartService = (typeof services)[number];

/** Services that do not share Redis. Of the settings marked `all` they have these alone (`processSettings` of the runtime). */
export const clientServices: ReadonlySet<ChartService> = new Set<ChartService>(['mqtt-bridge', 'probe']);
const ofProcesses = new Set(['PERCH_LOG_LEVEL', 'PERCH_ADMIN_HOST', 'PERCH_ADMIN_PORT']);

/** Includes those that name a file with a secret (`NAME_FILE`). */
export function settingNames(service: ChartService): string[] {
  return settingsOf(service).flatMap((setting) => (isSecret(setting) ? [setting.env, `${setting.env}_FILE`] : [setting.env]));
}

/** By name, of all services. */
export function secretSettings(): string[] {
  const secrets = services.flatMap((service) => settingsOf(service).flatMap((setting) => (isSecret(setting) ? [setting.env] : [])));
  return [...new Set(secrets)].toSorted();
}

export function secretSettingsYaml(): string {
  const lines = secretSettings().map((name) => `  - ${name}`);
  return `# Generated from the table of settings in the documents (npx pnpm run -r generate): the settings whose value is a secret.\nnames:\n${lines.join('\n')}\n`;
}

/** The table has this variable for secrets alone. */
function isSecret({ env, description }: DocumentedSetting): boolean {
  return description.includes(`${env}_FILE`);
}

export function settingServicesYaml(): string {
  const byName = new Map<string, string[]>();
  for (const service of services) {
    for (const { env } of settingsOf(service)) byName.set(env, [...(byName.get(env) ?? []), service]);
  }
  const lines = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, having]) => `${name}: [${having.join(', ')}]`);
  return `# Generated from the tables of settings in docs/operate (npx pnpm run -r generate): which services have which setting.\n${lines.join('\n')}\n`;
}

function settingsOf(service: ChartService): DocumentedSetting[] {
  if (!clientServices.has(service)) return documentedSettings(service);
  return allDocumentedSettings().filter(({ env, services: having }) => (having === 'all' ? ofProcesses.has(env) : having.includes(service)));
}

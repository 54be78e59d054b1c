/** The chart's templates read these services from files/settings.yaml; the source is the table in docs/operate.md. */
import { allDocumentedSettings, documentedSettings, type DocumentedSetting } from '@perch/testkit';

export const services = ['gateway', 'robot-link', 'renderer', 'webhooks', 'mqtt-bridge'] as const;
export type ChartService = (typeof services)[number];

/** The only settings marked `all` that the MQTT bridge has, as it does not share Redis (`processSettings` of the runtime). */
const ofProcesses = new Set(['PERCH_LOG_LEVEL', 'PERCH_ADMIN_HOST', 'PERCH_ADMIN_PORT']);

/** Includes those that name a file with a secret (`NAME_FILE`). */
export function settingNames(service: ChartService): string[] {
  return settingsOf(service).flatMap(({ env, description }) => {
    const file = `${env}_FILE`;
    return description.includes(file) ? [env, file] : [env];
  });
}

export function settingServicesYaml(): string {
  const byName = new Map<string, string[]>();
  for (const service of services) {
    for (const { env } of settingsOf(service)) byName.set(env, [...(byName.get(env) ?? []), service]);
  }
  const lines = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, having]) => `${name}: [${having.join(', ')}]`);
  return `# Generated from the table of settings in docs/operate.md (npx pnpm run -r generate): which services have which setting.\n${lines.join('\n')}\n`;
}

function settingsOf(service: ChartService): DocumentedSetting[] {
  if (service !== 'mqtt-bridge') return documentedSettings(service);
  return allDocumentedSettings().filter(({ env, services: having }) => (having === 'all' ? ofProcesses.has(env) : having.includes(service)));
}

/** The chart's templates read these services from files/settings.yaml; the source is the table in docs/operate.md. */
import { documentedSettings } from '@perch/testkit';

export const services = ['gateway', 'robot-link', 'renderer', 'webhooks'] as const;

/** Includes those that name a file with a secret (`NAME_FILE`). */
export function settingNames(service: (typeof services)[number]): string[] {
  return documentedSettings(service).flatMap(({ env, description }) => {
    const file = `${env}_FILE`;
    return description.includes(file) ? [env, file] : [env];
  });
}

export function settingServicesYaml(): string {
  const byName = new Map<string, string[]>();
  for (const service of services) {
    for (const { env } of documentedSettings(service)) byName.set(env, [...(byName.get(env) ?? []), service]);
  }
  const lines = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, having]) => `${name}: [${having.join(', ')}]`);
  return `# Generated from the table of settings in docs/operate.md (npx pnpm run -r generate): which services have which setting.\n${lines.join('\n')}\n`;
}

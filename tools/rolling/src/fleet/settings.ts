/** Only settings that the instance's version knows. */
import { environmentOf, type ServiceName } from '@perch/launcher';
import { documentedSettings, type SourceTree } from '@perch/testkit';

/** Longer than HAProxy needs to notice that an instance is not ready, ms. */
const drainDelayMs = 5000;

/** Short, so that a phase does not wait for the default intervals; the receiver refuses some messages, s. */
const webhookRetryS = '0.2,0.5,1,2,2,2,2,2';

export interface Endpoint {
  redisUrl: string;
  port: number;
  adminPort: number;
}

export function settingsOf(
  tree: SourceTree,
  service: ServiceName,
  { redisUrl, port, adminPort }: Endpoint,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const wanted: Record<string, string> = {
    PERCH_REDIS_URL: redisUrl,
    PERCH_LOG_LEVEL: 'warn',
    PERCH_ADMIN_PORT: String(adminPort),
    PERCH_GATEWAY_PORT: String(port),
    PERCH_LINK_PORT: String(port),
    PERCH_TRUST_PROXY: '1',
    PERCH_WEBHOOK_ALLOW_PRIVATE: 'true',
    PERCH_WEBHOOK_RETRY_S: webhookRetryS,
    PERCH_DRAIN_DELAY_MS: String(drainDelayMs),
  };
  const known = new Set(documentedSettings(service, tree.root).map((setting) => setting.env));
  const own = Object.fromEntries(Object.entries(wanted).filter(([name]) => known.has(name)));
  const inherited = Object.entries(environmentOf(service, env)).filter(([name]) => !name.startsWith('PERCH_'));
  return { ...Object.fromEntries(inherited), ...own };
}

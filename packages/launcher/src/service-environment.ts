/** Which settings each service is handed: a service refuses a `PERCH_*` variable that is not its own. */
import type { ServiceName } from './service-process.js';

const common = /^PERCH_(?:LOG_LEVEL|DRAIN_MS|ADMIN_HOST)$/;

const own: Record<ServiceName, RegExp> = {
  gateway: /^PERCH_(?:GATEWAY_|ACCOUNT_|OIDC_|PUBLIC_URL$|LINK_PUBLIC_URL$|SIGN_UP$|TRUST_PROXY$|WEBHOOK_ALLOW_PRIVATE$)/,
  'robot-link': /^PERCH_(?:LINK_(?!PUBLIC_URL$)|EVENTS_KEPT$|ACCOUNT_STORAGE_MB$|VERIFICATION_URI$|TRUST_PROXY$)/,
  renderer: /^PERCH_RENDER/,
  webhooks: /^PERCH_(?:WEBHOOK_|ACCOUNT_STORAGE_MB$)/,
};

/** Variables the launcher itself reads, that belong to tests, or that lead programs in the same shell to the service. */
const notForServices = /^PERCH_(?:REDIS_URL$|STATE_DIR$|TEST_|BASE_URL$|API_KEY$|ROBOT$)/;

/** The environment of a service, out of ours: everything that is not `PERCH_*`, and its own settings. */
export function environmentOf(service: ServiceName, env: NodeJS.ProcessEnv): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (!name.startsWith('PERCH_') || common.test(name) || own[service].test(name)) passed[name] = value;
  }
  return passed;
}

/** The `PERCH_*` variables that no service and no launcher knows, so that a misspelt one does not silently do nothing. */
export function unknownSettings(env: NodeJS.ProcessEnv): string[] {
  const patterns = [common, notForServices, ...Object.values(own)];
  return Object.keys(env).filter((name) => name.startsWith('PERCH_') && !patterns.some((pattern) => pattern.test(name)));
}

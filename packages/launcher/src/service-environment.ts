/** Selects the settings for each service: a service refuses `PERCH_*` variables that it does not know. */
import type { ServiceName } from './service-process.js';

const common = /^PERCH_(?:LOG_LEVEL|DRAIN_MS|DRAIN_DELAY_MS|JOB_SHARDS|ADMIN_HOST|TRACES_(?:ENDPOINT|SAMPLE|HEADERS(?:_FILE)?))$/;

const own: Record<ServiceName, RegExp> = {
  gateway:
    /^PERCH_(?:GATEWAY_|TRACES_REQUESTED_PER_S$|ACCOUNT_|MEDIA_MB$|OIDC_|SMTP_URL(?:_FILE)?$|MAIL_FROM$|PUBLIC_URL$|LINK_PUBLIC_URL$|ROBOT_PROGRAM$|INSTALL_(?:URL|CA_FILE)$|SIGN_UP$|LED_MA$|IMAGE_ADDRESSES$|TRUST_PROXY$|WEBHOOK_ALLOW_PRIVATE$)/,
  'robot-link': /^PERCH_(?:LINK_|ROBOT_PROGRAM$|EVENTS_KEPT(?:_DAYS)?$|METRICS_ROBOTS$|ACCOUNT_STORAGE_MB$|VERIFICATION_URI$|TRUST_PROXY$)/,
  renderer: /^PERCH_(?:RENDER_|SPEECH(?:_|$)|ACCOUNT_MEDIA_MB$|MEDIA_MB$)/,
  webhooks: /^PERCH_(?:WEBHOOK_|ACCOUNT_STORAGE_MB$)/,
};

const redisSetting = /^PERCH_REDIS_(?:(?:CA|CERT|KEY)_FILE|SENTINEL_PASSWORD(?:_FILE)?|ALLOW_EVICTION)$/;

/** Read by the launcher itself, by tests, or by clients of the API. */
const notForServices = /^PERCH_(?:REDIS_URL(?:_FILE)?$|STATE_DIR$|TEST_|MQTT_|PROBE_|MICROPYTHON$|BASE_URL$|API_KEY(?:_FILE)?$|ROBOT$)/;

export function environmentOf(service: ServiceName, env: NodeJS.ProcessEnv): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (!name.startsWith('PERCH_') || common.test(name) || own[service].test(name)) passed[name] = value;
  }
  return passed;
}

/** A service refuses Redis settings that do not fit the URL. */
export function redisEnvironment(redisUrl: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const fits = (name: string): boolean =>
    name === 'PERCH_REDIS_ALLOW_EVICTION' ||
    (/^PERCH_REDIS_(?:CA|CERT|KEY)_FILE$/.test(name) && redisUrl.startsWith('rediss')) ||
    (/^PERCH_REDIS_SENTINEL_PASSWORD(?:_FILE)?$/.test(name) && /^rediss?-sentinel:/.test(redisUrl));
  const passed = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && fits(entry[0]));
  return { PERCH_REDIS_URL: redisUrl, ...Object.fromEntries(passed) };
}

/** Returns the PERCH_ variables that no service knows. */
export function unknownSettings(env: NodeJS.ProcessEnv): string[] {
  const patterns = [common, redisSetting, notForServices, ...Object.values(own)];
  return Object.keys(env).filter((name) => name.startsWith('PERCH_') && !patterns.some((pattern) => pattern.test(name)));
}

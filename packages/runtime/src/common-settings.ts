/** The settings every service has; a service's own table begins with `...commonSettings`. */
import { defineSettings } from './config.js';

export const commonSettings = defineSettings({
  redisUrl: {
    env: 'PERCH_REDIS_URL',
    type: 'url',
    schemes: ['redis', 'rediss', 'redis-cluster', 'rediss-cluster'],
    description:
      'The Redis all instances share: one server, or the nodes of a Redis Cluster as redis-cluster://host:port,host:port. rediss:// and rediss-cluster:// use TLS.',
  },
  logLevel: {
    env: 'PERCH_LOG_LEVEL',
    type: 'choice',
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    description: 'The least grave line that is logged.',
  },
  adminHost: {
    env: 'PERCH_ADMIN_HOST',
    type: 'string',
    default: '127.0.0.1',
    description: 'The address /healthz, /readyz and /metrics listen on; they ask for no key.',
  },
  adminPort: { env: 'PERCH_ADMIN_PORT', type: 'int', min: 0, max: 65_535, default: 0, description: 'Its port; 0 takes any free one.' },
  drainMs: {
    env: 'PERCH_DRAIN_MS',
    type: 'int',
    unit: 'ms',
    min: 0,
    max: 3_600_000,
    default: 130_000,
    description: 'How long a stopping instance lets calls that wait for a person go on.',
  },
});

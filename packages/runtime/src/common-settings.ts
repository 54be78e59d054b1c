/** The settings table of every service that uses Redis begins with `commonSettings`. */
import { defineSettings, type ConfigOf } from './config.js';
import { redisSettings } from './redis-settings.js';
import { traceSettings } from './traces/trace-settings.js';

/** Settings of every service, those without Redis included. */
export const processSettings = defineSettings({
  logLevel: {
    env: 'PERCH_LOG_LEVEL',
    type: 'choice',
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    description: 'Minimum log level.',
  },
  adminHost: {
    env: 'PERCH_ADMIN_HOST',
    type: 'string',
    default: '127.0.0.1',
    description: 'Address of the admin server: /healthz, /readyz and /metrics, which need no key.',
  },
  adminPort: {
    env: 'PERCH_ADMIN_PORT',
    type: 'int',
    min: 0,
    max: 65_535,
    default: 0,
    description: 'Port of the admin server; 0 selects any free one.',
  },
});

/** Setting of services that are clients of Perch. */
export const { baseUrl } = defineSettings({
  baseUrl: {
    env: 'PERCH_BASE_URL',
    type: 'url',
    schemes: ['http', 'https'],
    description: 'Base URL of Perch, such as https://perch.example.org.',
  },
});

export const { linkPublicUrl } = defineSettings({
  linkPublicUrl: {
    env: 'PERCH_LINK_PUBLIC_URL',
    type: 'url',
    schemes: ['ws', 'wss'],
    default: null,
    description:
      'Public URL that robots connect to, shown on the web page and used by its virtual robots and by the robot of the probe. A robot-link that has it pairs robots under its host name alone, beside IP addresses, loopback names and names in .local. If unset: on the web page, the address that a running robot-link listens on; for the probe, /robot/v1/link below PERCH_BASE_URL; at a robot-link, robots pair under any name.',
  },
});

/** Read by the robot-link, which offers it to robots, and by the gateway, whose page installs it. */
export const { robotProgram } = defineSettings({
  robotProgram: {
    env: 'PERCH_ROBOT_PROGRAM',
    type: 'file',
    default: null,
    description:
      'File with a signed robot program, as perch robot sign writes it: robot-links offer it to robots, and the web page installs it. If unset, both use the program of the release without a signature, and robots with keys refuse the offer.',
  },
});

export const commonSettings = defineSettings({
  ...redisSettings,
  ...processSettings,
  ...traceSettings,
  drainDelayMs: {
    env: 'PERCH_DRAIN_DELAY_MS',
    type: 'int',
    unit: 'ms',
    min: 0,
    max: 600_000,
    default: 0,
    description:
      'How long an instance continues to serve after SIGTERM, new connections included, while /readyz already answers 503, so that load balancers notice. The drain (PERCH_DRAIN_MS) begins afterwards.',
  },
  drainMs: {
    env: 'PERCH_DRAIN_MS',
    type: 'int',
    unit: 'ms',
    min: 0,
    max: 3_600_000,
    default: 130_000,
    description: 'How long a stopping instance lets calls that wait for a person continue.',
  },
  jobShards: {
    env: 'PERCH_JOB_SHARDS',
    type: 'int',
    min: 1,
    max: 64,
    default: 1,
    description:
      'Number of queues for jobs (pictures, sounds, messages to webhooks). All jobs of an account are in one queue; several queues spread the jobs over the nodes of a Redis Cluster.',
  },
});

export const { accountStorageMb } = defineSettings({
  accountStorageMb: {
    env: 'PERCH_ACCOUNT_STORAGE_MB',
    type: 'int',
    min: 1,
    max: 100_000,
    default: 50,
    description:
      'Approximate storage quota of an account in megabytes: events, labels of robots, answers of calls with an Idempotency-Key, cards and questions that robots show or showed, messages of webhooks. Beyond it new ones are refused, except events: event logs keep their share by dropping the oldest events.',
  },
});

/** Settings for pictures and sounds in Redis, which several services share. They must be the same for all instances. */
export const mediaSettings = defineSettings({
  mediaMb: {
    env: 'PERCH_MEDIA_MB',
    type: 'int',
    min: 8,
    max: 1_000_000,
    default: 256,
    description:
      'Maximum size of the pictures and sounds of all accounts in Redis, in megabytes; each is kept for about 90 s. Each master of a Redis Cluster gets an equal part, at least 8 MB even if that is more in total. An account within its fair share (a sixteenth of the part of its master, divided by the accounts that use it) is never refused because of other accounts.',
  },
  accountMediaMb: {
    env: 'PERCH_ACCOUNT_MEDIA_MB',
    type: 'int',
    min: 4,
    max: 100_000,
    default: 32,
    description: 'Maximum size of the pictures and sounds of one account in Redis, in megabytes; a call beyond it is answered with 503 storage_full.',
  },
});

export function mediaBounds({ mediaMb, accountMediaMb }: ConfigOf<typeof mediaSettings>): { mb: number; accountMb: number } {
  return { mb: mediaMb, accountMb: accountMediaMb };
}

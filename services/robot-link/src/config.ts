import {
  accountStorageMb,
  commonSettings,
  connectionsSetting,
  defineSettings,
  keepAliveSetting,
  linkPublicUrl,
  proxySettings,
  robotProgram,
  type ConfigOf,
} from '@perch/runtime';

export const settings = defineSettings({
  ...commonSettings,
  linkPublicUrl,
  robotProgram,
  ...proxySettings,
  host: { env: 'PERCH_LINK_HOST', type: 'string', default: '127.0.0.1', description: "Address the robots' WebSocket server listens on." },
  port: {
    env: 'PERCH_LINK_PORT',
    type: 'int',
    min: 0,
    max: 65_535,
    default: 8081,
    description: "Port of the robots' WebSocket server; 0 selects any free one.",
  },
  connections: connectionsSetting('PERCH_LINK_CONNECTIONS'),
  keepAliveMs: keepAliveSetting('PERCH_LINK_KEEP_ALIVE_MS', 5_000),
  balance: {
    env: 'PERCH_LINK_BALANCE',
    type: 'bool',
    default: true,
    description:
      'Whether a robot-link that holds more than its share of the robots closes some of their connections with 4009, so that they reconnect to another one and all robot-links hold about the same number. Useful only if robots connect through a load balancer.',
  },
  verificationUri: {
    env: 'PERCH_VERIFICATION_URI',
    type: 'url',
    schemes: ['http', 'https'],
    default: null,
    description:
      'URL shown to the user for entering the pairing code of a robot. If unset, /pair on a running gateway (PERCH_PUBLIC_URL, if that is set there).',
  },
  eventsKept: { env: 'PERCH_EVENTS_KEPT', type: 'int', min: 1, max: 100_000, default: 1000, description: 'Events kept per robot.' },
  eventsKeptDays: {
    env: 'PERCH_EVENTS_KEPT_DAYS',
    type: 'int',
    min: 1,
    max: 3650,
    default: 30,
    description: 'Days after which an event is no longer returned and is deleted, whatever PERCH_EVENTS_KEPT says.',
  },
  metricsRobots: {
    env: 'PERCH_METRICS_ROBOTS',
    type: 'bool',
    default: false,
    description:
      'Whether /metrics/robots on the admin server returns the metrics of each robot, up to 10 time series per robot. If false, it answers 404.',
  },
  accountStorageMb,
});

export type LinkConfig = ConfigOf<typeof settings>;

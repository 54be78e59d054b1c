/** Settings of a robot-link, and the times it keeps; the times are fixed by robot-link.md and change only in tests. */
import { limits } from '@perch/schema';
import { commonSettings, connectionsSetting, defineSettings, proxySettings, type ConfigOf } from '@perch/runtime';

export const settings = defineSettings({
  ...commonSettings,
  ...proxySettings,
  host: { env: 'PERCH_LINK_HOST', type: 'string', default: '127.0.0.1', description: 'The address robots dial.' },
  port: { env: 'PERCH_LINK_PORT', type: 'int', min: 0, max: 65_535, default: 8081, description: 'Its port; 0 takes any free one.' },
  connections: connectionsSetting('PERCH_LINK_CONNECTIONS'),
  verificationUri: {
    env: 'PERCH_VERIFICATION_URI',
    type: 'url',
    schemes: ['http', 'https'],
    default: null,
    description: 'Where a person enters the code that a robot shows while it is paired; left out, the page of a gateway that runs, at its /pair.',
  },
  eventsKept: { env: 'PERCH_EVENTS_KEPT', type: 'int', min: 1, max: 100_000, default: 1000, description: 'Events kept per robot.' },
  accountStorageMb: {
    env: 'PERCH_ACCOUNT_STORAGE_MB',
    type: 'int',
    min: 1,
    max: 100_000,
    default: 50,
    description:
      'Megabytes that an account may keep in all, approximately: events, answers of calls with an Idempotency-Key, messages of webhooks. Beyond it new ones are refused, and event logs keep their share, newest events first.',
  },
});

export type LinkConfig = ConfigOf<typeof settings>;

export interface Timing {
  /** Within which a robot must have said hello, ms. */
  helloMs: number;
  /** How often each side says ping, ms. */
  pingMs: number;
  /** How often robots are asked to report their sensors, ms. */
  sensorsMs: number;
  /** Silence after which a robot is away, ms. */
  silenceMs: number;
  /** How often the one timer of the instance looks at every session, ms. */
  sweepMs: number;
  /** Least time between two writes of a robot's readings, ms. */
  saveMs: number;
}

export const timing: Timing = {
  helloMs: limits.link.helloMs,
  pingMs: limits.link.pingMs,
  sensorsMs: limits.link.sensorsMs,
  silenceMs: limits.link.silenceMs,
  sweepMs: 1000,
  saveMs: 30_000,
};

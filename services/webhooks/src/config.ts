/** The settings of the webhooks service. */
import { commonSettings, defineSettings } from '@perch/runtime';

export const webhooksSettings = defineSettings({
  ...commonSettings,
  concurrency: {
    env: 'PERCH_WEBHOOK_CONCURRENCY',
    type: 'int',
    min: 1,
    max: 1000,
    default: 50,
    description: 'Messages to webhooks sent at the same time.',
  },
  retryS: {
    env: 'PERCH_WEBHOOK_RETRY_S',
    type: 'string',
    default: '5,300,1800,7200,18000,28800,28800',
    description: 'Pauses in seconds before a message that did not arrive is sent again, with commas between; each is varied by a fifth.',
  },
  accountStorageMb: {
    env: 'PERCH_ACCOUNT_STORAGE_MB',
    type: 'int',
    min: 1,
    max: 100_000,
    default: 50,
    description:
      'Megabytes that an account may keep in all, approximately: events, answers of calls with an Idempotency-Key, messages of webhooks. Beyond it new ones are refused, and event logs keep their share, newest events first.',
  },
  allowPrivate: {
    env: 'PERCH_WEBHOOK_ALLOW_PRIVATE',
    type: 'bool',
    default: false,
    description: 'Whether webhooks may be http, use any port, and lead to private and loopback addresses.',
  },
});

/** @returns the pauses in ms, or null where the text is no list of up to 20 numbers from 0 to 86,400 */
export function retriesMs(text: string): number[] | null {
  const pauses = text.split(',').map((part) => (/^\s*\d+(\.\d+)?\s*$/.test(part) ? Number(part) * 1000 : NaN));
  return pauses.length <= 20 && pauses.every((ms) => ms <= 86_400_000) ? pauses : null;
}

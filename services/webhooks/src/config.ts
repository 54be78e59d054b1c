import { accountStorageMb, commonSettings, defineSettings, type ConfigOf } from '@perch/runtime';

export const webhooksSettings = defineSettings({
  ...commonSettings,
  concurrency: {
    env: 'PERCH_WEBHOOK_CONCURRENCY',
    type: 'int',
    min: 1,
    max: 1000,
    default: 50,
    description: 'Messages to webhooks that one instance sends at the same time.',
  },
  retryS: {
    env: 'PERCH_WEBHOOK_RETRY_S',
    type: 'string',
    default: '5,300,1800,7200,18000,28800,28800',
    description: 'Pauses in seconds before each retry of a message that was not accepted, separated by commas. Each is varied by up to a fifth.',
  },
  accountStorageMb,
  allowPrivate: {
    env: 'PERCH_WEBHOOK_ALLOW_PRIVATE',
    type: 'bool',
    default: false,
    description:
      'Whether webhooks may be http, use any port, and connect to private and loopback addresses; also for the metadata documents of OAuth clients.',
  },
});

/** @returns pauses in ms; null if the text is not a list of up to 20 numbers from 0 to 86,400 */
export function retriesMs(text: string): number[] | null {
  const pauses = text.split(',').map((part) => (/^\s*\d+(\.\d+)?\s*$/.test(part) ? Number(part) * 1000 : NaN));
  return pauses.length <= 20 && pauses.every((ms) => ms <= 86_400_000) ? pauses : null;
}

export function settingsProblems({ retryS }: ConfigOf<typeof webhooksSettings>): string[] {
  return retriesMs(retryS) === null ? ['PERCH_WEBHOOK_RETRY_S: must be up to 20 numbers of seconds, separated by commas'] : [];
}

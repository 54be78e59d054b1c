/** Settings for pictures and sounds in Redis, which several services share. They must be the same for all instances. */
import { defineSettings, type ConfigOf } from './config.js';

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

/** Settings of several services that are about what they keep in Redis; they must be the same for all instances. */
import { defineSettings, type ConfigOf } from './config.js';

/** For services that store pictures and sounds: gateway and renderer. */
export const mediaSettings = defineSettings({
  mediaMb: {
    env: 'PERCH_MEDIA_MB',
    type: 'int',
    min: 8,
    max: 1_000_000,
    default: 256,
    description:
      'Megabytes of pictures and sounds that all accounts may have in Redis, where each lives for about 90 s. Each master of a Redis Cluster gets an equal part, at least 8 MB. An account within its fair part is never refused for what others use.',
  },
  accountMediaMb: {
    env: 'PERCH_ACCOUNT_MEDIA_MB',
    type: 'int',
    min: 4,
    max: 100_000,
    default: 32,
    description: 'Megabytes of pictures and sounds that one account may have in Redis; a call beyond them gets 503 storage_full.',
  },
});

export function mediaBounds({ mediaMb, accountMediaMb }: ConfigOf<typeof mediaSettings>): { mb: number; accountMb: number } {
  return { mb: mediaMb, accountMb: accountMediaMb };
}

/** Used on the Redis and renderer pages. */
import { timeSeries } from './panel.js';
import { units } from './units.js';

export const mediaPanel = () =>
  timeSeries({
    title: 'Pictures and sounds kept',
    description: 'Pictures and sounds that Redis keeps, of all accounts, and the most that it may keep (PERCH_MEDIA_MB).',
    unit: units.bytes,
    queries: [
      { expr: 'max(perch_media_bytes)', legend: 'kept' },
      { expr: 'max(perch_media_bytes_max)', legend: 'at most' },
    ],
    runbooks: ['PerchMediaNearlyFull'],
  });

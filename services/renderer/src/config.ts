/** The renderer's settings. */
import { commonSettings, defineSettings } from '@perch/runtime';

export const rendererSettings = defineSettings({
  ...commonSettings,
  concurrency: {
    env: 'PERCH_RENDER_CONCURRENCY',
    type: 'int',
    min: 1,
    max: 64,
    default: 2,
    description: 'Pictures and sounds made at the same time, each in a process of its own.',
  },
});

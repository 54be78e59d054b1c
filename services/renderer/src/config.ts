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
    description: 'Pictures and sounds made at the same time, each in a process of its own; pictures that contain uploads are counted separately.',
  },
  uploadConcurrency: {
    env: 'PERCH_RENDER_UPLOAD_CONCURRENCY',
    type: 'int',
    min: 1,
    max: 64,
    default: 1,
    description: 'Pictures that contain uploads made at the same time, each in a further process of its own, which runs at lower priority.',
  },
});

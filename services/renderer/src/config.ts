import { commonSettings, defineSettings, mediaSettings } from '@perch/runtime';
import { speechSettings } from './speech/settings.js';

export const rendererSettings = defineSettings({
  ...commonSettings,
  concurrency: {
    env: 'PERCH_RENDER_CONCURRENCY',
    type: 'int',
    min: 1,
    max: 64,
    default: 2,
    description:
      'Pictures and sounds that one renderer makes at the same time, each in its own process. Pictures that contain uploads are counted separately.',
  },
  uploadConcurrency: {
    env: 'PERCH_RENDER_UPLOAD_CONCURRENCY',
    type: 'int',
    min: 1,
    max: 64,
    default: 1,
    description: 'Pictures with uploads that one renderer makes at the same time, each in its own process, which runs at lower priority.',
  },
  ...speechSettings,
  ...mediaSettings,
});

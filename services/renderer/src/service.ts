import { mediaBounds, defineService } from '@perch/runtime';
import { serviceStore } from '@perch/store';
import { createApp, jobMsMax } from './app.js';
import { rendererSettings } from './config.js';

export const rendererService = defineService({
  component: 'renderer',
  settings: rendererSettings,
  // Jobs are short and never wait for a person, so PERCH_DRAIN_MS does not apply.
  stopMs: () => jobMsMax + 4000,
  store: serviceStore,
  storeOptions: (config) => ({ mediaBounds: mediaBounds(config) }),
  app: (context) => createApp(context, context.env['PATH'] ?? ''),
});

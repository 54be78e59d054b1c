import { mediaBounds, runService } from '@perch/runtime';
import { serviceStore } from '@perch/store';
import { createApp, jobMsMax } from './app.js';
import { rendererSettings } from './config.js';

void runService({
  component: 'renderer',
  settings: rendererSettings,
  env: process.env,
  // Jobs are short and never wait for a person, so PERCH_DRAIN_MS does not apply.
  stopMs: () => jobMsMax + 4000,
  store: serviceStore,
  storeOptions: (config) => ({ mediaBounds: mediaBounds(config) }),
  app: (context) => createApp(context, process.env['PATH'] ?? ''),
});

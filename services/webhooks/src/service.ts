/** The webhooks service: sends events to addresses that users chose, apart from the other services, so that slow receivers delay no one. */
import { defineService } from '@perch/runtime';
import { serviceStore } from '@perch/store';
import { createApp } from './app.js';
import { settingsProblems, webhooksSettings } from './config.js';

export const webhooksService = defineService({
  component: 'webhooks',
  settings: webhooksSettings,
  problems: settingsProblems,
  // Deliveries in flight are aborted and sent again by another instance.
  stopMs: () => 5000,
  store: serviceStore,
  storeOptions: ({ accountStorageMb }) => ({ accountStorageMb }),
  app: createApp,
});

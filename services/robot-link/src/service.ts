import { defineService } from '@perch/runtime';
import { serviceStore } from '@perch/store';
import { createApp } from './app.js';
import { settings } from './config.js';
import { robotsPage } from './metrics/robots-page.js';

export const robotLinkService = defineService({
  component: 'robot-link',
  settings,
  // Beyond the drain: time to close the connections.
  stopMs: ({ drainMs }) => drainMs + 5000,
  store: serviceStore,
  storeOptions: ({ eventsKept, eventsKeptDays, accountStorageMb }) => ({
    eventsKept: { count: eventsKept, ms: eventsKeptDays * 86_400_000 },
    accountStorageMb,
    // A quarter of an account's default share: calls come before the frames of its countdowns.
    renderShare: { jobsMax: 16, pixelsMax: 16e6 },
  }),
  app: createApp,
  pages: ({ metricsRobots }, app) => ({ '/metrics/robots': robotsPage({ robots: () => app()?.robots ?? [], enabled: metricsRobots }) }),
});

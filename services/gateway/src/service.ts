import { fileURLToPath } from 'node:url';
import { defineService } from '@perch/runtime';
import { serviceStore } from '@perch/store';
import { gatewayOptions, gatewaySettings, settingsProblems, storeOptions } from './config.js';
import { createGateway } from './gateway.js';

const pageFolder = fileURLToPath(new URL('../../../packages/console/dist', import.meta.url));

export const gatewayService = defineService({
  component: 'gateway',
  settings: gatewaySettings,
  problems: settingsProblems,
  tracesRequestedPerS: (config) => config.tracesRequestedPerS,
  // Beyond the drain: time to finish the last responses and to close the Redis connections.
  stopMs: ({ drainMs }) => drainMs + 10_000,
  store: serviceStore,
  storeOptions,
  app: ({ config, ...context }) => createGateway({ ...context, ...gatewayOptions(config), pageFolder }),
});

/** Runs a service that is a client of the public interface: it has no Redis and no store, but the same settings, logs, metrics and life cycle. */
import { adminServer } from '../http/admin-server.js';
import type { processSettings } from '../common-settings.js';
import { settingsOrExit } from '../config-or-exit.js';
import type { ConfigOf, Settings } from '../config.js';
import { createLogger, type Logger } from '../log.js';
import { measureProcess, createMetrics } from '../metrics/process-metrics.js';
import type { Component } from '../metrics/metric-row.js';
import type { Metrics } from '../metrics/metrics.js';
import { Health } from '../health.js';
import { newInstanceId } from './instance-id.js';
import { Lifecycle } from './lifecycle.js';
import { announceReady, type ServiceApp } from './run-service.js';

export interface ClientServiceContext<C> {
  readonly config: C;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
}

export interface ClientService<S extends Settings> {
  component: Component;
  settings: S;
  problems?: (config: ConfigOf<S>) => string[];
  stopMs: number;
  app: (context: ClientServiceContext<ConfigOf<S>>) => ServiceApp;
}

/** Types what such a service declares of itself. */
export function defineClientService<const S extends Settings & typeof processSettings>(service: ClientService<S>): ClientService<S> {
  return service;
}

/** Resolves when the service is ready. If it cannot start, the process exits. @param env where its settings are read */
export async function runClientService<const S extends Settings & typeof processSettings>(
  { component, settings, problems, stopMs, app: createApp }: ClientService<S>,
  env: Record<string, string | undefined>,
): Promise<void> {
  const config = settingsOrExit(settings, env, problems);
  // TypeScript does not see that the config of S contains the settings of every service.
  const { logLevel, adminHost, adminPort } = config as ConfigOf<Settings> as ConfigOf<typeof processSettings>;
  const instance = newInstanceId(component);
  const log = createLogger({ level: logLevel, service: component, instance });
  const metrics = createMetrics(component);
  const health = new Health();
  measureProcess(metrics, health, '');
  const admin = adminServer({ host: adminHost, port: adminPort, health, metrics, pages: {} });
  const app = createApp({ config, log, metrics, health });
  await new Lifecycle({ log, health, stopMs }).run([
    admin,
    {
      name: component,
      async start(signal) {
        await app.start(signal);
      },
      stop: (signal) => app.stop?.(signal),
    },
  ]);
  announceReady({ service: component, instance, admin: admin.address }, log);
}

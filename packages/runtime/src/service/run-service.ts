import { adminServer, type AdminPage } from '../http/admin-server.js';
import type { commonSettings } from '../common-settings.js';
import { configOrExit } from '../config-or-exit.js';
import type { ConfigOf, Settings } from '../config.js';
import { createLogger, withoutSecrets, type Logger } from '../log.js';
import { measureInstance, type MeasuredRefusals, type MeasuredStore, createMetrics } from '../metrics/process-metrics.js';
import type { Component } from '../metrics/metric-row.js';
import type { Metrics } from '../metrics/metrics.js';
import { redisAccess, type RedisAccess } from '../redis-settings.js';
import { openTracing } from '../traces/open-tracing.js';
import type { Tracing } from '../traces/tracing.js';
import { Health } from '../health.js';
import { newInstanceId } from './instance-id.js';
import { Lifecycle, type Part } from './lifecycle.js';

export interface ServiceContext<C, T> {
  readonly config: C;
  /** For programs that the service starts. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: T;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
}

/** The part of a service that is its own. It starts last and stops first; `Part` describes `stopsSoon` and `stop`. */
export interface ServiceApp extends Pick<Part, 'stopsSoon' | 'stop'> {
  /** Once started; undefined if it does not listen. */
  readonly address?: string;
  start(signal: AbortSignal): Promise<unknown>;
}

export interface ServiceStore extends MeasuredStore {
  /** Returns why this instance cannot serve now, or null. */
  trouble(): string | null;
  close(): Promise<void>;
}

export interface CommonStoreOptions extends RedisAccess {
  instance: string;
  /** Number of queues for jobs: PERCH_JOB_SHARDS. */
  jobShards: number;
  refusals: MeasuredRefusals;
  onRoundTrip: (tookMs: number) => void;
  onError: (error: Error) => void;
  onDataLoss: (error: Error) => void;
  /** Called once for each capability that Redis lacks. */
  onFinding: (level: 'error' | 'warn' | 'info', text: string) => void;
}

export interface StoreOpener<O, T extends ServiceStore> {
  /** Version of the messages between services that this release writes; a label of a metric. */
  readonly wireVersion: number;
  /** Filled by `open` also while Redis refuses it. */
  refusals(): MeasuredRefusals;
  /** Returns the address in a URL of Redis and the user of it, never the password. */
  placeOf(redisUrl: string): string;
  /** @param signal aborts the attempts when the service is asked to stop meanwhile */
  open(options: O, signal: AbortSignal): Promise<T>;
}

export interface Service<S extends Settings, O, T extends ServiceStore, A extends ServiceApp> {
  component: Component;
  settings: S;
  problems?: (config: ConfigOf<S>) => string[];
  /** Traces per second that callers may demand. Default: 0. */
  tracesRequestedPerS?: (config: ConfigOf<S>) => number;
  stopMs: (config: ConfigOf<S>) => number;
  /** Passed in, because this package is below the store. */
  store: StoreOpener<O, T>;
  storeOptions: (config: ConfigOf<S>) => Omit<O, keyof CommonStoreOptions>;
  app: (context: ServiceContext<ConfigOf<S>, T>) => A;
  /** Pages of the admin server by path. @param app undefined until the store is open */
  pages?: (config: ConfigOf<S>, app: () => A | undefined) => Readonly<Record<string, AdminPage>>;
}

/** Types what a service declares of itself. */
export function defineService<const S extends Settings & typeof commonSettings, O, T extends ServiceStore, A extends ServiceApp>(
  service: Service<S, O, T, A>,
): Service<S, O, T, A> {
  return service;
}

/** Resolves when the service is ready. If it cannot start, the process exits. @param env where its settings are read */
export async function runService<const S extends Settings & typeof commonSettings, O, T extends ServiceStore, A extends ServiceApp>(
  service: Service<S, O, T, A>,
  env: Record<string, string | undefined>,
): Promise<void> {
  const { component } = service;
  const config = configOrExit(service.settings, env, service.problems);
  // TypeScript does not see that the config of S contains the common settings.
  const common = config as ConfigOf<Settings> as ConfigOf<typeof commonSettings>;
  const instance = newInstanceId(component);
  const log = createLogger({ level: common.logLevel, service: component, instance });
  const metrics = createMetrics(component);
  const tracing = await openTracing({ config: common, requestedPerS: service.tracesRequestedPerS?.(config) ?? 0, service: component, instance, log });
  const health = new Health();
  let store: T | undefined;
  let app: A | undefined;
  /** Last error of Redis; read while the store is not open. */
  let openingError: Error | undefined;
  const refusals = service.store.refusals();
  const place = service.store.placeOf(common.redisUrl);
  const { onRoundTrip } = measureInstance(metrics, { health, wireVersion: service.store.wireVersion, refusals, store: () => store });
  health.addCheck('redis', () => {
    if (store !== undefined) return store.trouble();
    return openingError === undefined ? 'The store is not open yet.' : waitingText(place, openingError);
  });
  const pages = service.pages?.(config, () => app) ?? {};
  const admin = adminServer({ host: common.adminHost, port: common.adminPort, health, metrics, pages });

  await new Lifecycle({ log, health, stopMs: service.stopMs(config), drainDelayMs: common.drainDelayMs }).run([
    admin,
    { name: 'traces', stop: () => tracing?.close() },
    {
      name: 'store',
      async start(signal) {
        const onError = (error: Error): void => {
          if (store === undefined && openingError === undefined) log.warn(waitingText(place, error));
          openingError = error;
          log.warn({ err: error }, 'Redis error');
        };
        const onDataLoss = (error: Error): void => log.error({ err: error }, 'Redis lost data');
        const onFinding: CommonStoreOptions['onFinding'] = (level, text) => log[level](text);
        const callbacks = { refusals, onRoundTrip, onError, onDataLoss, onFinding };
        const shared: CommonStoreOptions = { ...redisAccess(common), instance, jobShards: common.jobShards, ...callbacks };
        store = await service.store.open({ ...shared, ...service.storeOptions(config) } as O, signal);
      },
      stop: () => store?.close(),
    },
    {
      name: component,
      async start(signal) {
        app = service.app({ config, env, store: store!, log, metrics, tracing });
        await app.start(signal);
      },
      stopsSoon: () => app?.stopsSoon?.(),
      stop: (signal) => app?.stop?.(signal),
    },
  ]);
  announceReady({ service: component, instance, ...(app?.address !== undefined && { address: app.address }), admin: admin.address }, log);
}

/** @param place of `StoreOpener.placeOf` */
export function waitingText(place: string, { message }: Error): string {
  const why = message.replace(/^Redis at \S+ (?:refused the connection|did not answer): /, '');
  return `Waiting for Redis at ${place}, tried again every few seconds: ${withoutSecrets(why)}`;
}

/** Announces that a service is ready: to its launcher over the IPC channel, and in the log. */
export interface ReadyInfo {
  service: string;
  instance: string;
  /** Address of the service, if it listens: `http://127.0.0.1:8080`, `ws://127.0.0.1:8081/robot/v1/link`. */
  address?: string;
  admin: string;
}

export type ReadyMessage = { ready: true } & ReadyInfo;

export function announceReady(info: ReadyInfo, log?: Logger): void {
  const message: ReadyMessage = { ready: true, ...info };
  log?.info({ address: info.address, admin: info.admin }, 'ready');
  // The error is ignored: if the parent disconnected meanwhile, the lifecycle handles the closed channel.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

export { adminServer, sendJson, type AdminPage, type AdminServer, type AdminServerOptions } from './http/admin-server.js';
export { clientAddress, ClientAddresses, clientNetwork, clientSite, proxySettings, type AddressedRequest } from './http/client-address.js';
export { AsyncSignal, Lazy, Repeated, SingleFlight, withDeadline, withinMs } from './concurrency.js';
export { accountStorageMb, baseUrl, commonSettings, linkPublicUrl, processSettings, robotProgram } from './common-settings.js';
export { ConfigError, defineSettings, loadConfig, settingRows, type ConfigOf, type Setting, type SettingRow, type Settings } from './config.js';
export { configOrExit } from './config-or-exit.js';
export { dnsResolver, type ResolveAll } from './http/host-names.js';
export { closeNow, httpAddress, listen } from './http/listen.js';
export { connectionFailure, publicLookup, RefusedAddress, refuseLiteral } from './http/host-names.js';
export { connectionsSetting, guardConnections, keepAliveSetting } from './http/connections.js';
export { EqualLines } from './equal-lines.js';
export { Health, type Check, type Phase, type Readiness } from './health.js';
export { sha256, sha256Short, sortedJson } from './hash.js';
export { redisAccess, redisProblems, type RedisAccess } from './redis-settings.js';
export { newInstanceId } from './service/instance-id.js';
export { Lifecycle, type LifecycleOptions, type Part } from './service/lifecycle.js';
export { createLogger, withoutSecrets, type Logger, type LogOptions } from './log.js';
export { signInRefusals, type MailKind, type MailOutcome, type RequestAction, type RequestCode } from './metrics/gateway-metrics.js';
export { components, type Component } from './metrics/metric-row.js';
export { Metrics, type CounterOf, type GaugeOf, type HistogramOf, type Read } from './metrics/metrics.js';
export { measureInstance, type MeasuredStore } from './metrics/process-metrics.js';
export { createMetrics } from './metrics/process-metrics.js';
export { robotMetrics } from './metrics/link-metrics.js';
export { scrapeCache } from './metrics/scrape-cache.js';
export { metricGroups, metricTable, type LabelsOf, type MetricGroup, type MetricName } from './metrics/table.js';
export { hostnameOf, isAddress, isLoopback } from './http/host-names.js';
export { hasSeveralHosts, takeHostOfTarget, targetOf, type Target } from './http/request-head.js';
export { defineClientService, runClientService, type ClientService, type ClientServiceContext } from './service/run-client-service.js';
export {
  defineService,
  runService,
  type CommonStoreOptions,
  type Service,
  type ServiceApp,
  type ServiceContext,
  type ServiceStore,
  type StoreOpener,
} from './service/run-service.js';
export { announceReady, type ReadyInfo, type ReadyMessage } from './service/run-service.js';
export { mediaBounds, mediaSettings } from './common-settings.js';
export { carriedContext, parseTraceparent, type TraceContext } from './traces/trace-context.js';
export { openTracing } from './traces/open-tracing.js';
export type { Span, SpanAttributes, SpanOptions, Tracing } from './traces/tracing.js';

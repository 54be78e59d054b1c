/** What every process of the service needs to live: settings, log, metrics, health, start and stop. */
export { adminServer, httpAddress, type AdminServer, type AdminServerOptions } from './admin-server.js';
export { clientAddress, ClientAddresses, clientNetwork, clientSite, proxySettings, type AddressedRequest } from './client-address.js';
export { commonSettings } from './common-settings.js';
export {
  ConfigError,
  configOrExit,
  defineSettings,
  loadConfig,
  settingRows,
  type ConfigOf,
  type Setting,
  type SettingRow,
  type Settings,
} from './config.js';
export { connectionsSetting, guardConnections } from './connections.js';
export { Health, type Check, type Phase, type Readiness } from './health.js';
export { newInstanceId } from './instance-id.js';
export { Lifecycle, type LifecycleOptions, type Part } from './lifecycle.js';
export { createLogger, withoutSecrets, type Logger, type LogOptions } from './log.js';
export { createMetrics } from './metrics.js';
export { hasSeveralHosts, targetOf, type Target } from './request-head.js';
export { announceReady, type ReadyInfo, type ReadyMessage } from './ready.js';

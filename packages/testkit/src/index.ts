/** For tests. Production code must not import this package. */
export { alertRules, allRules, ruleFolder, ruleGroups, type AlertRule, type RecordingRule, type RuleGroup } from './prometheus/alert-rules.js';
export { EventStreamClient, type StreamRecord } from './network/event-stream-client.js';
export { freePort, isExecutable, toolCache } from '@perch/local-redis';
export type { LocalRedis } from '@perch/local-redis';
export { embeddedRedis, needsRealRedis, needsRedisServer, privateRedis, redisProcess } from './redis/redis-servers.js';
export { redisCluster, type LocalRedisCluster } from './redis/redis-cluster.js';
export {
  findHaproxy,
  needsHaproxy,
  startLoadBalancer,
  type BalancedInstance,
  type LoadBalancer,
  type LoadBalancerOptions,
  type ServerName,
} from './network/load-balancer.js';
export { redisSentinels, type LocalSentinels } from './redis/redis-sentinel.js';
export { needsOpenssl, testCertificates, type TestCertificates } from './redis/certificates.js';
export { npmChromium, type BrowserProgram } from './npm-chromium.js';
export {
  findPrometheus,
  needsPrometheus,
  needsPromtool,
  PrometheusServer,
  startPrometheus,
  type PrometheusOptions,
  type ActiveAlert,
  type ScrapeJob,
  type Series,
} from './prometheus/prometheus-server.js';
export { provideRedisServer } from './redis/provide-redis-server.js';
export { redisMentions } from './redis/redis-mentions.js';
export { redisAdminUrl, redisAt, redisUrl } from './redis/redis-url.js';
export { provideRedisVersion, redisVersions } from './redis/redis-versions.js';
export { testRedisUsers, writeRedisUsers, type TestRedisUsers } from './redis/redis-users.js';
export { Mosquitto, needsMosquitto } from './mosquitto/mosquitto.js';
export { provideMosquitto, type MosquittoProgram } from './mosquitto/provide-mosquitto.js';
export { needsMicropython, provideMicropython } from './micropython/needs-micropython.js';
export { runWasmProgram, wasmEmptyFolder, wasmRobotFolder } from './micropython/wasm-program.js';
export { SerialRobot, type SerialRobotOptions, type SerialRobotState } from './micropython/serial-robot.js';
export { renderTemplate, scopeOf } from './home-assistant/value-template.js';
export { MqttIntegration, type Component, type EntityState, type AnnouncedDevice } from './home-assistant/mqtt-integration.js';
export { MailServer, tokenIn, type MailServerOptions, type ReceivedMail } from './mail-server.js';
export { TcpProxy } from './network/tcp-proxy.js';
export { TcpBalancer, type BalancedServer, type TcpBalancerOptions } from './network/tcp-balancer.js';
export type { Direction, NetworkConditions } from './network/network-conditions.js';
export type { ProxiedConnection } from './network/proxied-connection.js';
export { costlyPng } from './pictures/costly-png.js';
export { pngChunk, pngOf, pngSignature, type PngKind } from './pictures/png.js';
export { writeShortenedRules, type Shortening } from './prometheus/shortened-rules.js';
export { speechCommand } from './speech-command.js';
export { pageCommands, type PageCommand } from './page-commands.js';
export { skipTest } from './skip-test.js';
export { allDocumentedSettings, documentedSettings, settingPages, settingsOfPage, type DocumentedSetting } from './documented-settings.js';
export { geminiProblems } from './tool-formats/gemini.js';
export { isJson, type Json, type Problems } from './tool-formats/json.js';
export { llamaGrammar } from './tool-formats/llama.js';
export { openaiProblems } from './tool-formats/openai.js';
export { until } from './until.js';
export { builtRelease, newestRelease, releaseOf, releases, releaseTree, thisTree, treeAt, type Release, type SourceTree } from './release-tree.js';

/** What tests need beside the code they test: a Redis, conditions to wait for, skips with a reason. Never imported by what runs. */
export { EventStreamClient, type StreamRecord } from './event-stream-client.js';
export { freePort, toolCache } from '@perch/local-redis';
export type { LocalRedis } from '@perch/local-redis';
export { embeddedRedis, needsRealRedis, needsRedisServer, privateRedis, redisProcess } from './redis-servers.js';
export { redisCluster, type LocalRedisCluster } from './redis-cluster.js';
export { npmChromium, type BrowserProgram } from './npm-chromium.js';
export { provideRedisServer } from './provide-redis-server.js';
export { redisUrl } from './redis-url.js';
export { TcpProxy } from './tcp-proxy.js';
export type { Direction, TcpLine, Weather } from './tcp-line.js';
export { costlyPng } from './costly-png.js';
export { skipTest } from './skip-test.js';
export { documentedSettings, type DocumentedSetting } from './documented-settings.js';
export { until } from './until.js';

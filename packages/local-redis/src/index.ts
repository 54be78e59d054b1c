/**
 * Local Redis on loopback for `npm start` and for tests: a redis-server process, or the embedded server, which is a child process in JavaScript without
 * persistence. Either stops with the process that started it.
 */
export { startEmbeddedRedis } from './embedded.js';
export { aptDownload, runTool, unpackPackages, unpackProgram } from './debian-tools.js';
export { freePort } from './free-port.js';
export { isExecutable } from './is-executable.js';
export type { LocalRedis } from './local-redis.js';
export { unpackOtherRelease } from './other-release.js';
export { provideProgram } from './provide-program.js';
export { askRedis } from './ask-redis.js';
export {
  findRedisServer,
  libraryFolders,
  requireRedisServer,
  toolCache,
  unpackedLoader,
  unpackedRedisServer,
  type RedisServerBinary,
} from './find-redis-server.js';
export { startRedisProcess, type RedisProcessOptions } from './redis-process.js';

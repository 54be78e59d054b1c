/** `@perch/runtime/settings`: settings without the rest of the package, for programs that start often, such as the CLI. */
export { ConfigError, defineSettings, loadConfig } from './config.js';
export { redisAccess, redisProblems, redisSettings, type RedisAccess } from './redis-settings.js';

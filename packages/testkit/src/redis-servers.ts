/** Redis servers of a test's own, to be killed, stopped and restarted. They end with the test run at the latest and do not keep it alive. */
import { findRedisServer, startEmbeddedRedis, startRedisProcess, type LocalRedis, type RedisProcessOptions } from '@perch/local-redis';

/** The embedded Redis in a child process of its own. */
export function embeddedRedis(options: { port?: number } = {}): Promise<LocalRedis> {
  return startEmbeddedRedis({ ...options, keepsAlive: false });
}

/**
 * A redis-server (or valkey-server) process of its own; keeps nothing on disk unless `appendOnly`.
 * @throws where neither is on PATH
 */
export async function redisProcess(options: Omit<RedisProcessOptions, 'binary' | 'keepsAlive'> = {}): Promise<LocalRedis> {
  const binary = findRedisServer(process.env['PATH']);
  if (binary === null) throw new Error('no redis-server and no valkey-server on PATH');
  return startRedisProcess({ ...options, binary, keepsAlive: false });
}

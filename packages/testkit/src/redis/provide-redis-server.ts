import { join } from 'node:path';
import { findRedisServer, toolCache } from '@perch/local-redis';
import { unpackDebianRedis } from './debian-redis.js';

/** Downloads a Redis server if tests would find none and want one. @returns the reason if that failed, else null */
export async function provideRedisServer(env: NodeJS.ProcessEnv, report: (line: string) => void): Promise<string | null> {
  if (env['PERCH_TEST_REDIS'] === 'embedded' || findRedisServer(env) !== null) return null;
  if (env['PERCH_TEST_DOWNLOAD'] === '0') return 'PERCH_TEST_DOWNLOAD=0 forbids the download';
  report('There is no Redis server on PATH: downloading the Debian package for the tests (once; nothing is installed)');
  try {
    await unpackDebianRedis(join(toolCache(env), 'redis-server'));
    return null;
  } catch (error) {
    const why = `none could be downloaded: ${error instanceof Error ? error.message : String(error)}`;
    report(`Redis for tests: ${why}`);
    return why;
  }
}

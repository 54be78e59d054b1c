/** The running system that is administered. What opens its Redis is loaded only here: calls over HTTP need none of it. */
import type { RedisAccess } from '@perch/runtime/settings';
import type { Store } from '@perch/store';
import { Refused } from './refused.js';

/**
 * Runs the work on the store that PERCH_REDIS_URL leads to, which is closed after it.
 * @throws {Refused} where the settings are wrong, Redis does not answer, or the work is refused
 */
export async function withStoreOf<T>(environment: Record<string, string | undefined>, work: (store: Store) => Promise<T>): Promise<T> {
  const redis = await redisOf(environment);
  const [{ openStore, StoreError }, { ApiError, StartRefused }] = await Promise.all([import('@perch/store'), import('@perch/schema')]);
  try {
    const store = await openStore({ ...redis, instance: `cli-${process.pid}` });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreError && error.outOfMemory)
      throw new Refused(
        `the Redis of PERCH_REDIS_URL has reached its memory limit and stores nothing new; revoking and removing work: ${error.message}`,
      );
    if (error instanceof StoreError && error.kind === 'full') throw new Refused(error.message);
    if (error instanceof StoreError) throw new Refused(`the Redis of PERCH_REDIS_URL does not answer: ${error.message}`);
    throw error instanceof ApiError || error instanceof StartRefused ? new Refused(error.message) : error;
  }
}

async function redisOf(environment: Record<string, string | undefined>): Promise<RedisAccess> {
  const { ConfigError, loadConfig, redisAccess, redisProblems, redisSettings } = await import('@perch/runtime/settings');
  if (!environment['PERCH_REDIS_URL'] && !environment['PERCH_REDIS_URL_FILE']) {
    throw new Refused(
      'PERCH_REDIS_URL is not set. It names the Redis of the running system, for example redis://127.0.0.1:6379; npm start prints the one it uses.',
      'usage',
    );
  }
  try {
    const config = loadConfig(redisSettings, environment, { others: 'pass' });
    const problems = redisProblems(config);
    if (problems.length > 0) throw new ConfigError(problems);
    return redisAccess(config);
  } catch (error) {
    throw error instanceof ConfigError ? new Refused(error.problems.join('; '), 'usage') : error;
  }
}

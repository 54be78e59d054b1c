/** Access to the running system's store, which is loaded only here: calls over HTTP do not need it. */
import type { RedisAccess } from '@perch/runtime/settings';
import type { RedisReport, Store } from '@perch/store';
import { Refused } from './refused.js';

/** Closes the store afterwards. @throws {Refused} the settings are invalid, Redis does not reply, or the work is rejected */
export function withStoreOf<T>(environment: Record<string, string | undefined>, work: (store: Store) => Promise<T>): Promise<T> {
  return withRedisOf(environment, async (redis) => {
    const { openStore } = await import('@perch/store');
    const store = await openStore({ ...redis, instance: instanceName() });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  });
}

/** @throws {Refused} the settings are invalid, or Redis does not reply */
export function redisReportOf(environment: Record<string, string | undefined>): Promise<RedisReport> {
  return withRedisOf(environment, async (redis) => (await import('@perch/store')).readRedis({ ...redis, name: instanceName() }));
}

function instanceName(): string {
  return `cli-${process.pid}`;
}

async function withRedisOf<T>(environment: Record<string, string | undefined>, work: (redis: RedisAccess) => Promise<T>): Promise<T> {
  const redis = await redisOf(environment);
  const [{ StoreError, UncertainWrite }, { ApiError, StartRefused }] = await Promise.all([import('@perch/store'), import('@perch/schema')]);
  try {
    return await work(redis);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const said = error.message.replace(/^Redis(?: at \S+ (?:refused the connection|did not answer))?: /, '');
    if (error instanceof StoreError && error.outOfMemory)
      throw new Refused(
        `the Redis of PERCH_REDIS_URL has reached its memory limit and stores no new data; revoking and removing still work: ${said}`,
      );
    if (error instanceof StoreError && error.kind === 'full') throw new Refused(error.message);
    if (error instanceof UncertainWrite)
      throw new Refused(`the change may have been made or not, because the Redis of PERCH_REDIS_URL did not confirm it: ${said}`);
    const address = /^Redis at (\S+) /.exec(error.message)?.[1];
    const redisOfUrl = `the Redis of PERCH_REDIS_URL${address === undefined ? '' : ` (${address})`}`;
    if (isReply(error)) throw new Refused(`${redisOfUrl} refuses: ${said}`);
    if (error instanceof StoreError) throw new Refused(`${redisOfUrl} does not answer: ${said}`);
    throw error instanceof ApiError || error instanceof StartRefused ? new Refused(error.message) : error;
  }
}

/** An error that Redis itself answered, as opposed to none. */
function isReply(error: unknown): boolean {
  return error instanceof Error && (error.name === 'ReplyError' || isReply(error.cause));
}

async function redisOf(environment: Record<string, string | undefined>): Promise<RedisAccess> {
  const { ConfigError, loadConfig, redisAccess, redisProblems, redisSettings } = await import('@perch/runtime/settings');
  if (!environment['PERCH_REDIS_URL'] && !environment['PERCH_REDIS_URL_FILE']) {
    throw new Refused(
      "PERCH_REDIS_URL is not set. It is the URL of the running system's Redis, for example redis://127.0.0.1:6379; npm start prints the one it uses.",
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

/** Opens the Redis of `npm start`: that of PERCH_REDIS_URL, else a server installed on this machine or in the cache of the clone, else the embedded one. */
import { findRedisServer, startEmbeddedRedis, startRedisProcess, type LocalRedis } from '@perch/local-redis';
import { ConfigError, loadConfig, redisAccess, redisProblems, redisSettings, type RedisAccess } from '@perch/runtime/settings';
import { claimRedisDir } from './redis-dir.js';
import { redisEnvironment } from './service-environment.js';

export interface OpenRedis {
  readonly url: string;
  readonly access: RedisAccess;
  /** `own`: files under `.perch`. `given`: a Redis of the user. `none`: the data is lost at the stop, so the demo is not saved. */
  readonly persistence: 'own' | 'given' | 'none';
  readonly server: LocalRedis | null;
  stop(): Promise<void>;
}

export async function openRedis(stateDir: string, env: NodeJS.ProcessEnv, print: (line: string) => void): Promise<OpenRedis> {
  const given = givenRedis(env);
  if (given !== null) {
    print('Redis: from PERCH_REDIS_URL');
    return { url: given.url, access: given, persistence: 'given', server: null, stop: () => Promise.resolve() };
  }

  const binary = findRedisServer(env);
  if (binary === null) {
    const server = await startEmbeddedRedis();
    print(
      'Redis: embedded, because no redis-server or valkey-server was found on PATH. It does not persist data: accounts, keys and events are lost at the stop.',
    );
    return { url: server.url, access: accessTo(server), persistence: 'none', server, stop: () => server.stop() };
  }

  const name = binary.libraryPath === undefined ? binary.kind : `${binary.kind} (downloaded by npm test)`;
  const dir = await claimRedisDir(stateDir);
  if (dir === null) {
    const server = await startRedisProcess({ binary });
    print(`Redis: ${name}. Another start uses the files under .perch/, so this one does not persist data.`);
    return { url: server.url, access: accessTo(server), persistence: 'none', server, stop: () => server.stop() };
  }
  try {
    const server = await startRedisProcess({ binary, dir: dir.path, appendOnly: true });
    dir.recordServer(server.pid);
    print(`Redis: ${name}, files in ${dir.path}`);
    const stop = async (): Promise<void> => {
      await server.stop();
      dir.release();
    };
    return { url: server.url, access: accessTo(server), persistence: 'own', server, stop };
  } catch (error) {
    dir.release();
    throw error;
  }
}

function accessTo({ url }: LocalRedis): RedisAccess {
  return { url, tls: { ca: null, cert: null, key: null }, sentinelPassword: null, allowEviction: false };
}

/** Null: neither PERCH_REDIS_URL nor PERCH_REDIS_URL_FILE is set. @throws {ConfigError} if a PERCH_REDIS_* is wrong */
function givenRedis(env: NodeJS.ProcessEnv): RedisAccess | null {
  if (!env['PERCH_REDIS_URL'] && !env['PERCH_REDIS_URL_FILE']) return null;
  return accessBy(env);
}

function accessBy(env: Record<string, string | undefined>): RedisAccess {
  const config = loadConfig(redisSettings, env, { others: 'pass' });
  const problems = redisProblems(config);
  if (problems.length > 0) throw new ConfigError(problems);
  return redisAccess(config);
}

/** Adds those settings of the environment that fit the URL. @throws {ConfigError} if one is wrong */
export function redisAccessTo(url: string, env: NodeJS.ProcessEnv): RedisAccess {
  return accessBy(redisEnvironment(url, env));
}

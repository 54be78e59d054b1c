/** Opens the Redis of `npm start`: the one of PERCH_REDIS_URL, else a server of this machine or of the clone's cache, else the embedded one. */
import { findRedisServer, startEmbeddedRedis, startRedisProcess, type LocalRedis } from '@perch/local-redis';
import { ConfigError, loadConfig, redisAccess, redisProblems, redisSettings, type RedisAccess } from '@perch/runtime/settings';
import { claimRedisDir } from './redis-dir.js';
import { redisEnvironment } from './service-environment.js';

export interface OpenRedis {
  readonly url: string;
  /** The URL, and what else the store needs to connect. */
  readonly access: RedisAccess;
  /** Whether it still has tomorrow what it has today, so that the demo's key is worth keeping; and under which name. */
  readonly keeps: 'own' | 'given' | 'nothing';
  readonly server: LocalRedis | null;
  stop(): Promise<void>;
}

/** @param say tells the person which Redis it is */
export async function openRedis(stateDir: string, env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<OpenRedis> {
  const given = givenRedis(env);
  if (given !== null) {
    say('Redis: the one of PERCH_REDIS_URL');
    return { url: given.url, access: given, keeps: 'given', server: null, stop: () => Promise.resolve() };
  }

  const binary = findRedisServer(env);
  if (binary === null) {
    const server = await startEmbeddedRedis();
    say(
      'Redis: there is no redis-server and no valkey-server on PATH, so the embedded one runs. It keeps nothing: accounts, keys and events end with it.',
    );
    return { url: server.url, access: accessTo(server), keeps: 'nothing', server, stop: () => server.stop() };
  }

  const name = binary.libraryPath === undefined ? binary.kind : `${binary.kind} (downloaded by npm test)`;
  const dir = await claimRedisDir(stateDir);
  if (dir === null) {
    const server = await startRedisProcess({ binary });
    say(`Redis: ${name}. Another start uses the files under .perch/, so this one keeps nothing.`);
    return { url: server.url, access: accessTo(server), keeps: 'nothing', server, stop: () => server.stop() };
  }
  try {
    const server = await startRedisProcess({ binary, dir: dir.path, appendOnly: true });
    dir.heldBy(server.pid);
    say(`Redis: ${name}, files in ${dir.path}`);
    const stop = async (): Promise<void> => {
      await server.stop();
      dir.release();
    };
    return { url: server.url, access: accessTo(server), keeps: 'own', server, stop };
  } catch (error) {
    dir.release();
    throw error;
  }
}

function accessTo({ url }: LocalRedis): RedisAccess {
  return { url, tls: { ca: null, cert: null, key: null }, sentinelPassword: null };
}

/** Returns the Redis of PERCH_REDIS_URL or PERCH_REDIS_URL_FILE, or null where neither is set. @throws {ConfigError} where a PERCH_REDIS_* is wrong */
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

/** Returns what the store needs to connect to a Redis by the settings of an environment that fit its URL. @throws {ConfigError} where one is wrong */
export function redisAccessTo(url: string, env: NodeJS.ProcessEnv): RedisAccess {
  return accessBy(redisEnvironment(url, env));
}

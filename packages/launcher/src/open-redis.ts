/** Opens the Redis of `npm start`: that of PERCH_REDIS_URL, else a server installed on this machine or in the cache of the clone, else the embedded one. */
import { findRedisServer, startEmbeddedRedis, startRedisProcess, type LocalRedis } from '@perch/local-redis';
import { ConfigError, loadConfig, redisAccess, redisProblems, redisSettings, type RedisAccess } from '@perch/runtime/settings';
import { redisEnvironment } from './service-process.js';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** An exclusive claim on the append-only file under `.perch/redis`, which two servers would corrupt. */
interface RedisDir {
  readonly path: string;
  /** After a crash of this process the next start waits for the exit of this server. */
  recordServer(pid: number): void;
  release(): void;
}

/** Returns null if another start holds the directory. If the holder was killed, waits up to 6 s for the exit of its server. */
export async function claimRedisDir(stateDir: string): Promise<RedisDir | null> {
  const path = join(stateDir, 'redis');
  const claim = join(stateDir, 'redis.claim');
  mkdirSync(path, { recursive: true });
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(claim, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
      return {
        path,
        recordServer: (pid) => writeFileSync(claim, `${process.pid} ${pid}\n`, { mode: 0o600 }),
        release: () => rmSync(claim, { force: true }),
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const [launcher = 0, server = 0] = holders(claim);
    if (launcher !== process.pid && alive(launcher)) return null;
    if (alive(server)) {
      if (attempt > 60) return null;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } else {
      rmSync(claim, { force: true });
    }
  }
}

function holders(claim: string): number[] {
  try {
    return readFileSync(claim, 'utf8').trim().split(' ').map(Number);
  } catch {
    return [];
  }
}

function alive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

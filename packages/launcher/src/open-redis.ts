/** Opens the Redis of `npm start`: the one of PERCH_REDIS_URL, else a server of this machine or of the clone's cache, else the embedded one. */
import { findRedisServer, startEmbeddedRedis, startRedisProcess, type LocalRedis } from '@perch/local-redis';
import { claimRedisDir } from './redis-dir.js';

export interface OpenRedis {
  readonly url: string;
  /** Whether it still has tomorrow what it has today, so that the demo's key is worth keeping; and under which name. */
  readonly keeps: 'own' | 'given' | 'nothing';
  readonly server: LocalRedis | null;
  stop(): Promise<void>;
}

/** @param say tells the person which Redis it is */
export async function openRedis(stateDir: string, env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<OpenRedis> {
  const given = env['PERCH_REDIS_URL'] ?? '';
  if (given !== '') {
    say('Redis: the one of PERCH_REDIS_URL');
    return { url: given, keeps: 'given', server: null, stop: () => Promise.resolve() };
  }

  const binary = findRedisServer(env);
  if (binary === null) {
    const server = await startEmbeddedRedis();
    say(
      'Redis: there is no redis-server and no valkey-server on PATH, so the embedded one runs. It keeps nothing: accounts, keys and events end with it.',
    );
    return { url: server.url, keeps: 'nothing', server, stop: () => server.stop() };
  }

  const name = binary.libraryPath === undefined ? binary.kind : `${binary.kind} (downloaded by npm test)`;
  const dir = await claimRedisDir(stateDir);
  if (dir === null) {
    const server = await startRedisProcess({ binary });
    say(`Redis: ${name}. Another start uses the files under .perch/, so this one keeps nothing.`);
    return { url: server.url, keeps: 'nothing', server, stop: () => server.stop() };
  }
  try {
    const server = await startRedisProcess({ binary, dir: dir.path, appendOnly: true });
    dir.heldBy(server.pid);
    say(`Redis: ${name}, files in ${dir.path}`);
    const stop = async (): Promise<void> => {
      await server.stop();
      dir.release();
    };
    return { url: server.url, keeps: 'own', server, stop };
  } catch (error) {
    dir.release();
    throw error;
  }
}

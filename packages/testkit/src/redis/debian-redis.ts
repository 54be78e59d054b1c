/** Unpacks Redis from the Debian or Ubuntu package without root; apt-get verifies signatures, with lists and state in a folder of its own. */
import { runTool, unpackedRedisServer, unpackProgram } from '@perch/local-redis';

export interface DebianRedisOptions {
  /** dpkg's list of installed packages; libraries in it are not downloaded. */
  statusFile?: string;
  timeoutMs?: number;
}

/** Perch uses sharded publish/subscribe, which requires Redis 7.0. */
const majorMin = 7;

/** Unpacks redis-server and the libraries that this machine lacks, atomically. @throws an Error that completes "no Redis server, because …" */
export async function unpackDebianRedis(target: string, { statusFile, timeoutMs }: DebianRedisOptions = {}): Promise<void> {
  await unpackProgram(target, { name: 'redis-server', own: /^(?:redis|valkey)/, statusFile, timeoutMs, check: checkVersion });
}

async function checkVersion(root: string, work: string, signal: AbortSignal): Promise<void> {
  const server = unpackedRedisServer(root);
  if (server === null) throw new Error('the package redis-server does not contain /usr/bin/redis-server');
  const env = { ...process.env, LD_LIBRARY_PATH: server.libraryPath };
  const version = await runTool(server.path, ['--version'], work, signal, env);
  const major = Number(/\bv=(\d+)\./.exec(version)?.[1] ?? 0);
  if (major < majorMin) throw new Error(`the package redis-server is older than ${majorMin}.0: ${version.trim()}`);
}

/** Unpacks Redis from the Debian or Ubuntu package without root; apt-get verifies signatures, with lists and state in a folder of its own. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { aptOptions, errorText, runTool, unpackedRedisServer } from '@perch/local-redis';

export interface DebianRedisOptions {
  /** dpkg's list of installed packages; libraries in it are not downloaded. */
  statusFile?: string;
  timeoutMs?: number;
}

/** Perch uses sharded publish/subscribe, which requires Redis 7.0. */
const majorMin = 7;

/** Unpacks redis-server and the libraries that this machine lacks, atomically. @throws an Error that completes "no Redis server, because …" */
export async function unpackDebianRedis(target: string, options: DebianRedisOptions = {}): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), 'unpacking-'));
  try {
    const signal = AbortSignal.timeout(options.timeoutMs ?? 120_000);
    const packages = await download(work, options.statusFile ?? '/var/lib/dpkg/status', signal);
    const root = join(work, 'root');
    for (const file of packages) await runTool('dpkg-deb', ['-x', file, root], work, signal);
    await checkVersion(root, work, signal);
    rmSync(target, { recursive: true, force: true });
    renameSync(root, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function download(work: string, statusFile: string, signal: AbortSignal): Promise<string[]> {
  const own = ['state/lists/partial', 'cache/archives/partial', 'packages'].map((folder) => join(work, folder));
  for (const folder of own) mkdirSync(folder, { recursive: true });
  const packages = join(work, 'packages');
  const status = join(work, 'status');
  const apt = (...args: string[]): Promise<string> => runTool('apt-get', [...aptOptions(work, status), ...args], packages, signal);
  writeFileSync(status, withoutRedis(readStatus(statusFile)));
  // Not fatal: the packages may be available although one source failed.
  const updateFailure = await apt('update').then(() => null, errorText);
  try {
    const plan = await apt('--simulate', '--no-install-recommends', 'install', 'redis-server');
    await apt('download', ...packagesToUnpack(plan));
  } catch (error) {
    throw updateFailure === null ? error : new Error(updateFailure, { cause: error });
  }
  return readdirSync(packages).map((name) => join(packages, name));
}

function readStatus(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error('this is not Debian or Ubuntu', { cause: error });
  }
}

/** apt-get would not download an installed Redis again. */
function withoutRedis(status: string): string {
  const entries = status.split('\n\n').filter((entry) => !/^Package: (?:redis|valkey)/m.test(entry));
  return entries.join('\n\n');
}

/** Returns the packages of `apt-get --simulate install` to unpack: the server and its libraries, except libc, which must be that of the machine's loader. */
function packagesToUnpack(plan: string): string[] {
  const names = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
  return names.filter((name) => /^(?:redis|lib)/.test(name) && !name.startsWith('libc6'));
}

async function checkVersion(root: string, work: string, signal: AbortSignal): Promise<void> {
  const server = unpackedRedisServer(root);
  if (server === null) throw new Error('the package redis-server does not contain /usr/bin/redis-server');
  const env = { ...process.env, LD_LIBRARY_PATH: server.libraryPath };
  const version = await runTool(server.path, ['--version'], work, signal, env);
  const major = Number(/\bv=(\d+)\./.exec(version)?.[1] ?? 0);
  if (major < majorMin) throw new Error(`the package redis-server is older than ${majorMin}.0: ${version.trim()}`);
}

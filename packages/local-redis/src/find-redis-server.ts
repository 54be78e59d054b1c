/** Finds a Redis server program: on PATH, else the one that `npm test` unpacked into the cache of the clone. */
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isExecutable } from './is-executable.js';

export interface RedisServerBinary {
  kind: 'redis-server' | 'valkey-server';
  path: string;
  /** LD_LIBRARY_PATH for the server: the shared libraries that were unpacked with it. Absent for an installed server. */
  libraryPath?: string;
}

const kinds = ['redis-server', 'valkey-server'] as const;

export function findRedisServer(env: NodeJS.ProcessEnv): RedisServerBinary | null {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of folders) {
    const kind = kinds.find((name) => isExecutable(join(folder, name)));
    if (kind !== undefined) return { kind, path: join(folder, kind) };
  }
  return unpackedRedisServer(join(toolCache(env), 'redis-server'));
}

export function requireRedisServer(env: NodeJS.ProcessEnv): RedisServerBinary {
  const found = findRedisServer(env);
  if (found === null) throw new Error('no redis-server and no valkey-server on PATH; on Debian and Ubuntu, `npm test` downloads one for this clone');
  return found;
}

export function unpackedRedisServer(root: string): RedisServerBinary | null {
  const path = join(root, 'usr/bin/redis-server');
  return isExecutable(path) ? { kind: 'redis-server', path, libraryPath: libraryFolders(root).join(delimiter) } : null;
}

/** PERCH_TEST_CACHE, by default `.perch/tools` of the clone. */
export function toolCache(env: NodeJS.ProcessEnv): string {
  return env['PERCH_TEST_CACHE'] || fileURLToPath(new URL('../../../.perch/tools', import.meta.url));
}

/** Debian keeps libraries in a folder per architecture, such as `usr/lib/x86_64-linux-gnu`. @param root of unpacked packages */
export function libraryFolders(root: string): string[] {
  return ['usr/lib', 'lib'].flatMap((base) => foldersIn(join(root, base)).map((name) => join(root, base, name)));
}

/** Returns the loader of the unpacked C library with its option for the libraries: it starts programs that were built for another release than this machine's. */
export function unpackedLoader(root: string): [loader: string, ...options: string[]] | null {
  const folders = libraryFolders(root);
  for (const folder of folders) {
    const name = readdirSync(folder).find((each) => /^ld-linux.*\.so\.\d+$/.test(each));
    if (name !== undefined) return [join(folder, name), '--library-path', folders.join(delimiter)];
  }
  return null;
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && entry.name.includes('-linux-')).map(({ name }) => name);
  } catch {
    return [];
  }
}

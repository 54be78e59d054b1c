/** Finds the unix build of MicroPython: the setting, PATH, or Debian's packages, unpacked into the cache of the clone. */
import { isExecutable, toolCache, unpackedLoader } from '@perch/local-redis';
import { delimiter, join } from 'node:path';

export interface Micropython {
  command: string;
  /** Arguments before MicroPython's own: the program, where `command` is the loader that was unpacked with it. */
  args: string[];
}

/** PERCH_MICROPYTHON names a program; it wins. */
export function findMicropython(env: NodeJS.ProcessEnv): Micropython | null {
  const given = env['PERCH_MICROPYTHON'];
  if (given) return isExecutable(given) ? { command: given, args: [] } : null;
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'micropython');
    if (folder !== '' && isExecutable(path)) return { command: path, args: [] };
  }
  return unpackedMicropython(join(toolCache(env), 'micropython'));
}

/** The packages are of a newer Debian than this machine's may be, so the program runs with the loader and the libraries beside it. */
export function unpackedMicropython(root: string): Micropython | null {
  const program = join(root, 'usr/bin/micropython');
  if (!isExecutable(program)) return null;
  const loader = unpackedLoader(root);
  return loader === null ? null : { command: loader[0], args: [...loader.slice(1), program] };
}

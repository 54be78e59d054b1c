/** Finds MicroPython, or downloads it: for tests and for the demo robot of `npm start`. */
import { provideProgram, toolCache } from '@perch/local-redis';
import { join } from 'node:path';
import { unpackDebianMicropython } from './debian-micropython.js';
import { findMicropython, unpackedMicropython, type Micropython } from './find-micropython.js';

/** For the option `--robot micropython` of a program. @throws {Error} what is missing */
export async function requireMicropython(env: NodeJS.ProcessEnv): Promise<Micropython> {
  const found = await provideMicropython(env);
  if (typeof found === 'string') throw new Error(`--robot micropython: ${found}`);
  return found;
}

/**
 * Unpacks Debian's packages into the cache of the clone where no program is found. PERCH_TEST_MICROPYTHON_SUITE names
 * another suite of Debian: its MicroPython is used. @returns a sentence that names what is missing if there is none
 */
export async function provideMicropython(env: NodeJS.ProcessEnv): Promise<Micropython | string> {
  const missing = 'the unix build of MicroPython is needed (micropython on PATH, or PERCH_MICROPYTHON)';
  if (env['PERCH_MICROPYTHON']) return findMicropython(env) ?? `${missing}: PERCH_MICROPYTHON names no program`;
  const suite = env['PERCH_TEST_MICROPYTHON_SUITE'];
  const folder = join(toolCache(env), suite ? `micropython-${suite}` : 'micropython');
  return provideProgram(env, {
    missing,
    find: () => (suite ? unpackedMicropython(folder) : findMicropython(env)),
    unpack: () => unpackDebianMicropython(folder, suite ? { suite } : {}),
  });
}

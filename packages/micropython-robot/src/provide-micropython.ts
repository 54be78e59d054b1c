/** Finds MicroPython, or downloads it: for tests and for the demo robot of `npm start`. */
import { errorText, toolCache } from '@perch/local-redis';
import { join } from 'node:path';
import { unpackDebianMicropython } from './debian-micropython.js';
import { findMicropython, type Micropython } from './find-micropython.js';

/** Unpacks Debian's packages into the cache of the clone where no program is found. @returns a sentence that names what is missing if there is none */
export async function provideMicropython(env: NodeJS.ProcessEnv): Promise<Micropython | string> {
  const found = findMicropython(env);
  if (found !== null) return found;
  const missing = 'the unix build of MicroPython is needed (micropython on PATH, or PERCH_MICROPYTHON)';
  if (env['PERCH_MICROPYTHON']) return `${missing}: PERCH_MICROPYTHON names no program`;
  if (env['PERCH_TEST_DOWNLOAD'] === '0') return `${missing}: PERCH_TEST_DOWNLOAD=0 forbids the download`;
  try {
    await unpackDebianMicropython(join(toolCache(env), 'micropython'));
  } catch (error) {
    return `${missing}: none could be downloaded: ${errorText(error)}`;
  }
  return findMicropython(env) ?? missing;
}

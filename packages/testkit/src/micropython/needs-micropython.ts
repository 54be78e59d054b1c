import { toolCache } from '@perch/local-redis';
import { findMicropython, type Micropython } from '@perch/micropython-robot';
import type { Context } from 'mocha';
import { join } from 'node:path';
import { errorText } from '../debian-tools.js';
import { skipTest } from '../skip-test.js';
import { unpackDebianMicropython } from './debian-micropython.js';

let provided: Promise<Micropython | string> | null = null;

/** Downloads it first where none is found. @returns the reason if there is none */
export function provideMicropython(env: NodeJS.ProcessEnv = process.env): Promise<Micropython | string> {
  return (provided ??= provide(env));
}

/** Skips the suite, from a `before` hook, where there is no MicroPython. */
export async function needsMicropython(context: Context): Promise<Micropython> {
  const found = await provideMicropython();
  return typeof found === 'string' ? skipTest(context, found) : found;
}

async function provide(env: NodeJS.ProcessEnv): Promise<Micropython | string> {
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

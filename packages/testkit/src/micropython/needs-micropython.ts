import { provideMicropython as provide, type Micropython } from '@perch/micropython-robot';
import type { Context } from 'mocha';
import { skipTest } from '../skip-test.js';

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

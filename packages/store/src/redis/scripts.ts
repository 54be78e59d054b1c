/** Loads the scripts of lua/, one atomic step each. A script's header documents its KEYS, ARGV, output and why it is a script. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const folder = new URL('../../lua/', import.meta.url);

/** Scripts for ioredis' `scripts` option: each becomes methods `name(number of keys, ...keys, ...args)` and `nameBuffer(...)`, sent as EVALSHA. */
export const redisScripts: Record<string, { lua: string }> = Object.fromEntries(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.lua'))
    .map((file) => [scriptName(file), { lua: readFileSync(new URL(file, folder), 'utf8') }]),
);

/** `calls/wait-open.lua` -> `waitOpen`. */
function scriptName(file: string): string {
  return basename(file, '.lua').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

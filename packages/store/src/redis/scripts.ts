/** The scripts of lua/, one atomic step each; a file's header says its KEYS, ARGV, output and why it is a script. */
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../lua/', import.meta.url);

/** For ioredis' `scripts` option: each becomes methods `name(number of keys, ...keys, ...args)` and `nameBuffer(...)`, sent as EVALSHA. */
export const redisScripts: Record<string, { lua: string }> = Object.fromEntries(
  readdirSync(folder)
    .filter((file) => file.endsWith('.lua'))
    .map((file) => [scriptName(file), { lua: readFileSync(new URL(file, folder), 'utf8') }]),
);

/** `wait-open.lua` -> `waitOpen`. */
function scriptName(file: string): string {
  return file.slice(0, -'.lua'.length).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

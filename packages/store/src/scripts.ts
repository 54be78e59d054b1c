/**
 * The scripts of lua/, one atomic step each; a file's header says its KEYS, ARGV, output and why it is a script.
 * The number of keys is passed with each call, so that a file can be added without a second list.
 */
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../lua/', import.meta.url);

const keysMax = 8;

/**
 * For ioredis' `scripts` option: each becomes methods `name<number of keys>(...keys, ...args)` and `...Buffer`, sent as EVALSHA.
 * A command of its own for each number of keys, and not the number as first argument: ioredis' automatic pipelines take the first argument
 * for the key, and would put scripts of several nodes of a Cluster into one pipeline, which fails as a whole.
 */
export const redisScripts: Record<string, { lua: string; numberOfKeys: number }> = Object.fromEntries(
  readdirSync(folder)
    .filter((file) => file.endsWith('.lua'))
    .flatMap((file) => {
      const lua = readFileSync(new URL(file, folder), 'utf8');
      return Array.from({ length: keysMax }, (_, i) => [scriptCommand(scriptName(file), i + 1), { lua, numberOfKeys: i + 1 }]);
    }),
);

/** The name of a script's command for this many keys. */
export function scriptCommand(name: string, numberOfKeys: number): string {
  return name + numberOfKeys;
}

/** `wait-open.lua` -> `waitOpen`. */
function scriptName(file: string): string {
  return file.slice(0, -'.lua'.length).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

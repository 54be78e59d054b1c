import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { declaredKeys, type DeclaredKeys } from './script-header.js';
import type { ScriptKeys } from './script-types.generated.js';

export type ScriptName = keyof ScriptKeys;

export interface RedisScript {
  lua: string;
  keys: DeclaredKeys;
}

const folder = new URL('../../lua/', import.meta.url);

/** For ioredis' `scripts` option (EVALSHA). A script whose header does not fit it ends the process at its start. */
export const redisScripts: Readonly<Record<ScriptName, RedisScript>> = loadScripts();

function loadScripts(): Record<ScriptName, RedisScript> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.lua'))
    .toSorted();
  const scripts = files.map((file) => {
    const lua = readFileSync(new URL(file, folder), 'utf8');
    return [scriptName(file), { lua, keys: declaredKeys(file, lua) }] as const;
  });
  // A test compares the names of the files with those of the type.
  return Object.fromEntries(scripts) as Record<ScriptName, RedisScript>;
}

function scriptName(file: string): string {
  return basename(file, '.lua').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

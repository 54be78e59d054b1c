import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
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

/** `-- KEYS 1 wait head, 2 lease, 3 call (optional)`, `4 and on: …`, or a text without numbers for any number of keys. */
export interface DeclaredKeys {
  /** Without what is in brackets. */
  labels: string[];
  least: number;
  /** Infinity: any number from `least` on. */
  most: number;
}

/** Throws if the header declares no keys, has gaps in their numbers, or the script uses a key that is not declared. */
export function declaredKeys(file: string, lua: string): DeclaredKeys {
  const text = /^-- KEYS ((?:.*\n)(?:--  .*\n)*)/m
    .exec(lua)?.[1]
    ?.replaceAll(/\n--\s+/g, ' ')
    .trim();
  if (text === undefined) throw new Error(`lua/${file}: its header declares no KEYS`);
  if (!/^\d/.test(text)) return { labels: [], least: 0, most: Infinity };
  const entries = text.split(/, (?=\d+ )/);
  const labels: string[] = [];
  let least = 0;
  let most = entries.length;
  for (const [i, entry] of entries.entries()) {
    const [, number, rest, label] = /^(\d+) (and on: )?(.*)$/.exec(entry)!;
    if (Number(number) !== i + 1) throw new Error(`lua/${file}: KEYS ${number} of its header should be ${i + 1}`);
    if (rest === undefined) {
      labels.push(label!.replaceAll(/ ?\([^)]*\)/g, ''));
      if (!label!.includes('(optional)')) least = i + 1;
    } else most = Infinity;
  }
  const used = Math.max(0, ...[...lua.matchAll(/KEYS\[(\d+)\]/g)].map(([, number]) => Number(number)));
  if (used > most) throw new Error(`lua/${file}: uses KEYS[${used}], and its header declares ${most}`);
  return { labels, least, most };
}

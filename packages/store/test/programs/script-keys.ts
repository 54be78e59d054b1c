/** src/redis/script-keys.generated.ts, made from the headers of the scripts. `pnpm run generate` writes it, a test compares it. */
import { fileURLToPath } from 'node:url';
import type { DeclaredKeys } from '../../src/redis/script-header.js';
import { redisScripts } from '../../src/redis/scripts.js';

export const scriptKeysFile = fileURLToPath(new URL('../../src/redis/script-keys.generated.ts', import.meta.url));

export function scriptKeys(): string {
  const lines = Object.entries(redisScripts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { keys }]) => `  ${name}: ${tupleOf(keys)};`);
  return [
    '/** The keys of each script, in order. Generated from the headers of lua/ by `npx pnpm run -r generate`. */',
    'export interface ScriptKeys {',
    ...lines,
    '}',
    '',
  ].join('\n');
}

/** A key that may be missing gives two tuples: an optional element could be undefined. */
function tupleOf({ labels, least, most }: DeclaredKeys): string {
  if (labels.length === 0) return 'readonly string[]';
  const counts = most === Infinity ? [least] : Array.from({ length: most - least + 1 }, (_, i) => least + i);
  return counts
    .map((count) => {
      const elements = labels.slice(0, count).map((label) => `${camelCase(label)}: string`);
      return `readonly [${[...elements, ...(most === Infinity ? ['...others: string[]'] : [])].join(', ')}]`;
    })
    .join(' | ');
}

/** `the account's record` -> `accountRecord`. A label ends where it begins to explain. */
function camelCase(label: string): string {
  const words = label
    .replace(/(?:,| or | of | under | that ).*$/, '')
    .replaceAll("'s", '')
    .split(/\s+/)
    .filter((word) => word !== 'the' && word !== 'its');
  return words.map((word, i) => (i === 0 ? word.toLowerCase() : word[0]!.toUpperCase() + word.slice(1))).join('');
}

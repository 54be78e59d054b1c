/** src/redis/script-types.generated.ts, made from the headers of the scripts. `pnpm run generate` writes it, a test compares it. */
import { fileURLToPath } from 'node:url';
import { type DeclaredKeys, redisScripts } from '../../src/redis/scripts.js';
import { declaredOutput, typeOf } from './script-output.js';

export const scriptTypesFile = fileURLToPath(new URL('../../src/redis/script-types.generated.ts', import.meta.url));

export function scriptTypes(): string {
  const scripts = Object.entries(redisScripts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    '/** The keys of each script, in order. Generated from the headers of lua/ by `npx pnpm run -r generate`. */',
    'export interface ScriptKeys {',
    ...scripts.map(([name, { keys }]) => `  ${name}: ${tupleOf(keys)};`),
    '}',
    '',
    '/** What each script returns. Generated from the headers of lua/ by `npx pnpm run -r generate`. */',
    'export interface ScriptOutputs {',
    ...scripts.map(([name, { lua }]) => `  ${name}: ${typeOf(declaredOutput(name, lua))};`),
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

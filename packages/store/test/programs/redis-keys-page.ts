/** docs/redis-keys.md, made from the names and comments of src/redis/keys.ts. `pnpm run generate` writes it, a test compares it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const redisKeysPageFile = fileURLToPath(new URL('../../../../docs/redis-keys.md', import.meta.url));

const introduction = `# Keys and channels in Redis

Generated from \`packages/store/src/redis/keys.ts\` by \`npx pnpm run -r generate\`.

What Perch stores in Redis: the type of each key, its fields or elements, and how long it lives. What stands in braces inside a key is its Redis Cluster hash tag, so keys with the same tag lie on one node; \`<name>\` stands for a value. Each Lua script (\`packages/store/lua\`) touches the keys of one tag. Keys of BullMQ's queues are BullMQ's own and begin with the prefix listed as \`jobs\`.
`;

interface Entry {
  name: string;
  /** With its parameters as `<name>`. */
  key: string;
  comment: string;
}

interface Group {
  title: string;
  entries: Entry[];
}

const comment = String.raw`\/\*\*([\s\S]*?)\*\/\s*`;
const value = String.raw`\(([^)]*)\) =>\s*(?:\`([^\`]*)\`|'([^']*)')`;
const groupPattern = new RegExp(String.raw`^${comment}export const (\w+)(?: = \{\n([\s\S]*?)\n\} as const;| = ${value};)`, 'gm');
const entryPattern = new RegExp(String.raw`(?:${comment})?(\w+): ${value},`, 'g');

/** Returns the page. @param source of keys.ts @throws an Error if a key in the source is not on the page */
export function redisKeysPage(source = sources()): string {
  const groups = groupsOf(source);
  const listed = groups.flatMap(({ entries }) => entries).length;
  const there = source.match(/=>\s*[`']perch:/g)?.length ?? 0;
  if (listed !== there) throw new Error(`keys.ts: ${there} keys, ${listed} of them in a form that can be read`);
  return [introduction, ...groups.map(section)].join('\n');
}

function sources(): string {
  return readFileSync(new URL('../../src/redis/keys.ts', import.meta.url), 'utf8');
}

function groupsOf(source: string): Group[] {
  const groups: Group[] = [];
  // The first comment describes the file.
  const body = source.slice(source.indexOf('*/') + 2);
  for (const [, text, name, block, , template, plain] of body.matchAll(groupPattern)) {
    if (block !== undefined) groups.push({ title: oneLine(text!), entries: entriesOf(block) });
    else groupOfApiKeys(groups).entries.push({ name: name!, key: keyOf(template ?? plain!), comment: oneLine(text!) });
  }
  return groups;
}

/** Keys that keys.ts exports one by one. */
function groupOfApiKeys(groups: Group[]): Group {
  const title = 'API keys and console sessions.';
  const last = groups.at(-1);
  if (last?.title === title) return last;
  const group = { title, entries: [] };
  groups.push(group);
  return group;
}

function entriesOf(block: string): Entry[] {
  return [...block.matchAll(entryPattern)].map(([, text, name, , template, plain]) => ({
    name: name!,
    key: keyOf(template ?? plain!),
    comment: text === undefined ? 'See the key above.' : oneLine(text),
  }));
}

/** `perch:{${robot}}:lease` -> `perch:{<robot>}:lease` */
function keyOf(template: string): string {
  return template.replaceAll(/\$\{(?:\w+\()?(\w+)\)?\}/g, '<$1>');
}

function oneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*\*?\s?/, '').trim())
    .filter((line) => line !== '')
    .join(' ');
}

function section({ title, entries }: Group): string {
  const [, heading, rest] = /^([^.,;]*)[.,;]?\s*(.*)$/s.exec(title)!;
  const rows = entries.map((entry) => `| \`${entry.name}\` | \`${entry.key}\` | ${entry.comment.replaceAll('|', '\\|')} |`);
  return `## ${heading}\n\n${rest === '' ? '' : `${title}\n\n`}| name | key | content and lifetime |\n|---|---|---|\n${rows.join('\n')}\n`;
}

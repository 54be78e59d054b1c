/** Sets one entry in the text of a configuration file, and keeps everything else of it, comments and order included. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@perch/schema/plain';
import { applyEdits, modify, parse, type ParseError } from 'jsonc-parser';
import { parse as parseToml, stringify } from 'smol-toml';

/** The file cannot be read as what it should be; the message says why. */
export class BadConfig extends Error {
  override readonly name = 'BadConfig';
}

/** JSON, also with comments and commas at the end. @param text empty: a new file @throws {BadConfig} */
export function setInJson(text: string, at: readonly string[], value: unknown): string {
  const before = text.trim() === '' ? '{}\n' : text;
  const held = parsedJson(before);
  for (let depth = 0; depth < at.length - 1; depth += 1) {
    const found = at.slice(0, depth + 1).reduce<unknown>((object, name) => (isObject(object) ? object[name] : undefined), held);
    if (found !== undefined && !isObject(found)) throw new BadConfig(`${at.slice(0, depth + 1).join('.')} is not an object`);
  }
  const tabs = /^\t/m.test(before);
  const indent = /^( +)\S/m.exec(before)?.[1]?.length ?? 2;
  const eol = before.includes('\r\n') ? '\r\n' : '\n';
  const formattingOptions = { insertSpaces: !tabs, tabSize: tabs ? 4 : indent, eol };
  return applyEdits(before, modify(before, [...at], value, { formattingOptions }));
}

/** Sets a record in a list of records, in place of the one with the same `id`. @throws {BadConfig} */
export function setInJsonList(text: string, at: readonly string[], id: string, value: unknown): string {
  const before = text.trim() === '' ? '{}\n' : text;
  const held = at.reduce<unknown>((object, name) => (isObject(object) ? object[name] : undefined), parsedJson(before));
  if (held === undefined) return setInJson(before, at, [value]);
  if (!Array.isArray(held)) throw new BadConfig(`${at.join('.')} is not a list`);
  if (held.some((each) => isObject(each) && each['id'] === id)) return before;
  return applyEdits(
    before,
    modify(before, [...at, held.length], value, { isArrayInsertion: true, formattingOptions: { insertSpaces: true, tabSize: 2 } }),
  );
}

function parsedJson(text: string): Record<string, unknown> {
  const errors: ParseError[] = [];
  const held: unknown = parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0) throw new BadConfig('it is not JSON');
  if (!isObject(held)) throw new BadConfig('it is not a JSON object');
  return held;
}

/**
 * TOML: replaces the tables of the entry, or appends one. The result is parsed, and differs from what was there in the entry alone.
 * @throws {BadConfig} it is not TOML, or the entry is written in a form that cannot be replaced, such as an inline table
 */
export function setInToml(text: string, at: readonly [string, string], value: Record<string, unknown>): string {
  const before = parsedToml(text);
  const [parent, name] = at;
  const kept: string[] = [];
  let isOwn = false;
  for (const line of text.split('\n')) {
    const header = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$/.exec(line)?.[1];
    if (header !== undefined) isOwn = isWithin(header, parent, name);
    // Comments above the next table stay.
    if (!isOwn || /^\s*#/.test(line)) kept.push(line);
  }
  const rest = kept.join('\n').trimEnd();
  const result = `${rest}${rest === '' ? '' : '\n\n'}${stringify({ [parent]: { [name]: value } }).trim()}\n`;
  let after: Record<string, unknown>;
  try {
    after = parseToml(result);
  } catch {
    throw new BadConfig(`${parent} is written in a form that perch connect cannot change: write [${parent}.${name}] by hand (--print shows it)`);
  }
  const own = isObject(after[parent]) ? after[parent][name] : undefined;
  if (!isDeepStrictEqual(plain(own), plain(value)) || !isDeepStrictEqual(without(before, at), without(after, at)))
    throw new BadConfig(`${parent} is written in a form that perch connect cannot change: write [${parent}.${name}] by hand (--print shows it)`);
  return result;
}

function parsedToml(text: string): Record<string, unknown> {
  try {
    return parseToml(text);
  } catch {
    throw new BadConfig('it is not TOML');
  }
}

function isWithin(header: string, parent: string, name: string): boolean {
  const [first, second] = header.split('.').map((part) => part.trim().replace(/^["'](.*)["']$/, '$1'));
  return first === parent && second === name;
}

/** A copy without the entry, and without its parent where that holds nothing else. */
function without(held: Record<string, unknown>, [parent, name]: readonly [string, string]): unknown {
  const { [parent]: servers, ...rest } = plain(held) as Record<string, unknown>;
  if (!isObject(servers)) return servers === undefined ? rest : { ...rest, [parent]: servers };
  const { [name]: _, ...others } = servers;
  return Object.keys(others).length === 0 ? rest : { ...rest, [parent]: others };
}

/** Records of smol-toml have no prototype. */
function plain(value: unknown): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)));
}

/** Returns the lines of a unified difference: `-` removed, `+` added, with up to three unchanged lines around; without line numbers. */
export function lineDifference(before: string, after: string): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const marked = marksOf(old, now);
  const isNear = (at: number): boolean => marked.slice(Math.max(0, at - 3), at + 4).some((line) => !line.startsWith(' '));
  return marked.flatMap((line, at) => (isNear(at) ? [line] : at > 0 && isNear(at - 1) ? ['...'] : []));
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Files of clients have one changed place: what is equal at both ends is kept, the middle replaced. */
function marksOf(old: readonly string[], now: readonly string[]): string[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  return [
    ...old.slice(0, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...old.slice(old.length - end).map((line) => ` ${line}`),
  ];
}

/** The flags of an action, from the JSON Schema. The first argument and the required ones may also be given without their flags, in order. */
import { readFile } from 'node:fs/promises';
import { Argument, Option, type Command } from 'commander';
import { exampleOf } from './action-examples.js';
import type { ActionSchema, ArgSchema } from './action-schema.js';
import { Refused } from '../refused.js';

export class ArgumentFlags {
  readonly #properties: [name: string, schema: ArgSchema][];
  readonly #positional: string[];
  readonly #required: readonly string[];

  constructor({ args: { properties, required = [] } }: ActionSchema) {
    this.#required = required;
    this.#properties = Object.entries(properties);
    this.#positional = this.#properties.map(([name]) => name).filter((name, at) => at === 0 || required.includes(name));
  }

  addTo(command: Command): void {
    const of = new Map(this.#properties);
    for (const name of this.#positional) {
      const { type, enum: choices } = of.get(name)!;
      const needed = this.#required.includes(name) ? '; required' : '';
      const argument = new Argument(type === 'array' ? `[${name}...]` : `[${name}]`, `same as ${flagOf(name)}${needed}`);
      command.addArgument(choices === undefined ? argument : argument.choices(choices));
    }
    for (const [name, schema] of this.#properties) {
      const { 'x-group': group } = schema;
      const option = optionOf(name, schema);
      command.addOption(group === undefined ? option : option.helpGroup(`${group}:`));
    }
  }

  /** A text `-` is standard input. @param positional from commander: one value per argument, a list for a variadic one */
  async read(
    positional: readonly unknown[],
    options: Record<string, unknown>,
    { readInput }: { readInput: () => Promise<string> },
  ): Promise<Record<string, unknown>> {
    const args: Record<string, unknown> = {};
    for (const [name, schema] of this.#properties) {
      const plain = positional[this.#positional.indexOf(name)];
      const bare = Array.isArray(plain) && plain.length === 0 ? undefined : plain;
      if (bare !== undefined && options[name] !== undefined)
        throw new Refused(`${name} is given more than once: with ${flagOf(name)} and without it`, 'usage');
      const given = bare === undefined ? options[name] : bareValue(name, schema, bare as string | string[]);
      if (given === '-' && isText(schema)) args[name] = (await readInput()).replace(/\r?\n$/, '');
      else if (given !== undefined) args[name] = isPicture(schema) ? await pictureFrom(given as string) : await withPictures(given);
    }
    const missing = this.#required.find((name) => args[name] === undefined);
    if (missing !== undefined) throw new Refused(`${missing} is missing; see --help for usage`, 'usage');
    if (args['deny'] !== undefined) args['deny'] = indexOfAnswer(args['deny'] as string, args['answers'] as string[]);
    return args;
  }
}

/** @returns `--timeout-s` for `timeout_s` */
export function flagOf(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}

function optionOf(name: string, schema: ArgSchema): Option {
  if (name === 'deny') return new Option('--deny <answer>', 'Answer that allows nothing, or its index from 0: a tap on it counts after 350 ms.');
  const { type, description = '', items, enum: choices } = schema;
  const placeholder = isPicture(schema)
    ? ' <file>'
    : type === 'boolean'
      ? ''
      : ` <${items === undefined ? (type === 'object' ? 'json' : type) : 'value'}>`;
  const said = isPicture(schema) ? `File, https address or id of an upload. ${description.split('. ')[0]}.` : `${fieldsText(schema)}${description}`;
  const repeated = items === undefined ? '' : inOneText(items) ? ' Separated by commas.' : ' Repeat for each.';
  const option = new Option(`${flagOf(name)}${placeholder}`, said + repeated);
  option.attributeName = () => name;
  if (choices !== undefined) return option.choices(choices);
  if (type === 'boolean') return option;
  return option.argParser((text: string, before: unknown) => valueOf(name, schema, text, before));
}

/** A text that is an answer wins over an index. @throws {Refused} */
function indexOfAnswer(given: string, answers: readonly string[]): number {
  const index = answers.includes(given) ? answers.indexOf(given) : /^\d+$/.test(given) ? Number(given) : -1;
  if (index >= 0 && index < answers.length) return index;
  throw new Refused(`--deny ${JSON.stringify(given)} is none of the answers: ${answers.map((answer, i) => `${answer} (${i})`).join(', ')}`, 'usage');
}

/** Names the fields of an object, which is given as JSON. */
function fieldsText({ type, properties = {} }: ArgSchema): string {
  const names = Object.keys(properties);
  return type === 'object' && names.length > 0 ? `JSON with ${names.join(', ')}. ` : '';
}

function bareValue(name: string, schema: ArgSchema, bare: string | string[]): unknown {
  if (!Array.isArray(bare)) return schema.enum === undefined ? valueOf(name, schema, bare, undefined) : bare;
  return bare.reduce<unknown>((before, text) => valueOf(name, schema, text, before), undefined);
}

/** @param before values of earlier occurrences of a repeatable flag */
function valueOf(name: string, { type, items }: ArgSchema, text: string, before: unknown): unknown {
  if (type === 'number' || type === 'integer') {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value))
      throw new Refused(`${name} must be a number, not ${JSON.stringify(text.slice(0, 60))}`, 'usage');
    return value;
  }
  if (type === 'object') return parsed(name, text);
  if (items === undefined) return text;
  const list = (before ?? []) as unknown[];
  if (!inOneText(items)) return [...list, itemOf(name, items, text)];
  const parts = text.split(',').map((part) => part.trim());
  return [...list, ...(isNumeric(items) ? parts.map((part) => numberOrNull(name, part)) : parts)];
}

/** Returns true for colours, enum values and numbers, which contain no commas and can be separated by them. */
function inOneText(items: ArgSchema): boolean {
  return items.pattern !== undefined || items.enum !== undefined || isNumeric(items);
}

function isNumeric({ type, anyOf = [] }: ArgSchema): boolean {
  return type === 'number' || anyOf.some((branch) => branch.type === 'number');
}

/** An empty part and "null" are a gap. */
function numberOrNull(name: string, text: string): number | null {
  return text === '' || text === 'null' ? null : (valueOf(name, { type: 'number' }, text, undefined) as number);
}

function itemOf(name: string, items: ArgSchema, text: string): unknown {
  if (items.type === 'string' || !/^\s*\{/.test(text)) return items.type === 'object' ? (regionOf(text) ?? parsed(name, text)) : text;
  return parsed(name, text);
}

/** Every JSON value of a command line is an object. */
function parsed(name: string, text: string): object {
  const value = objectIn(text);
  if (value !== null) return value;
  const example = exampleOf(flagOf(name));
  const hint = example === undefined ? 'see --help for examples' : `for example ${flagOf(name)} ${example}`;
  throw new Refused(`${name} must be a JSON object, not ${JSON.stringify(text.slice(0, 60))}; ${hint}`, 'usage');
}

function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The texts that a person reads: no colour, icon, language, address or picture. */
function isText({ type, enum: choices, pattern, 'x-picker': picker }: ArgSchema): boolean {
  return type === 'string' && choices === undefined && pattern === undefined && picker === undefined;
}

function isPicture(schema: ArgSchema): boolean {
  return schema.contentMediaType === 'image/*';
}

async function withPictures(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(withPictures));
  if (typeof value !== 'object' || value === null) return value;
  const { image } = value as { image?: unknown };
  return typeof image === 'string' && image.startsWith('@') ? { ...value, image: await pictureFrom(image.slice(1)) } : value;
}

/** The service fetches addresses, and keeps uploads. */
async function pictureFrom(file: string): Promise<string> {
  if (/^https?:\/\//i.test(file) || /^p-[0-9a-z]{20}$/.test(file)) return file;
  try {
    return await readFile(file, 'base64');
  } catch (error) {
    throw new Refused(`the picture ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, 'usage');
  }
}

/** A clickmap's region: `ID=rect:x,y,w,h`, `ID=circle:x,y,r`, `ID=polygon:x,y,x,y,x,y`. */
const regionText = /^([^={]+)=(rect|circle|polygon):([-\d.,]+)$/;

function regionOf(text: string): object | null {
  const [, id, kind, list] = regionText.exec(text.trim()) ?? [];
  if (id === undefined || kind === undefined || list === undefined) return null;
  const numbers = list.split(',').map(Number);
  if (kind !== 'polygon') return { id, [kind]: numbers };
  return { id, polygon: Array.from({ length: Math.ceil(numbers.length / 2) }, (_, i) => numbers.slice(2 * i, 2 * i + 2)) };
}

/**
 * Reads arguments as models send them, where that cannot change what is meant: null or an empty text for one that they leave out, and a list, object,
 * number or boolean as its JSON text where the argument takes no text. Required arguments, and what is inside others, must be as the schema says.
 */
import { isObject, type Tool } from '@perch/schema';

export interface ReadArguments {
  /** `robot` is null if it was left empty: the call is for the key's only robot, and not for the one of several that is online. */
  args: Record<string, unknown>;
  /** Arguments that were read from a text. */
  read: readonly string[];
}

interface Schema {
  type?: string;
  anyOf?: readonly Schema[];
}

export function readArguments({ definition: { inputSchema } }: Tool, given: Record<string, unknown>): ReadArguments {
  const required = (inputSchema['required'] ?? []) as readonly string[];
  const read: string[] = [];
  const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    if (!Object.hasOwn(inputSchema.properties, name)) return [[name, value]];
    const isEmpty = value === null || value === '';
    // A call that meant to name a robot reaches no other one.
    if (isEmpty && !required.includes(name)) return name === 'robot' ? [[name, null]] : [];
    return [[name, readText(inputSchema.properties[name]!, value, name, read)]];
  });
  return { args: Object.fromEntries(entries), read };
}

function readText(schema: Schema, value: unknown, name: string, read: string[]): unknown {
  if (typeof value !== 'string') return value;
  const types = new Set([schema, ...(schema.anyOf ?? [])].flatMap(({ type = [] }) => type));
  if (types.size === 0 || types.has('string')) return value;
  const parsed = parse(value.trim());
  if (!fits(types, parsed)) return value;
  read.push(name);
  return parsed;
}

function fits(types: ReadonlySet<string>, value: unknown): boolean {
  if (typeof value === 'number') return types.has('number') || (types.has('integer') && Number.isInteger(value));
  if (Array.isArray(value)) return types.has('array');
  return typeof value === 'boolean' ? types.has('boolean') : isObject(value) && types.has('object');
}

function parse(text: string): unknown {
  // As Python writes them.
  if (text === 'True' || text === 'False') return text === 'True';
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Values at every bound of a schema, one step inside and outside, and of every other type. verdicts.ts asks the schema which fit. */
import { brokenPictures, goodPictures } from './pictures.js';
import { Raw } from './json.js';
import type { Probe } from './probe.js';
import { hostileTexts, hostileValues } from './hostile-values.js';

/** The parts of JSON Schema that the service uses. */
export interface Schema {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  pattern?: string;
  contentMediaType?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  minProperties?: number;
  anyOf?: readonly Schema[];
  default?: unknown;
}

export function probesOf(schema: Schema): Probe[] {
  return [...atBounds(schema), ...hostileValues];
}

/** Without the general hostile values. */
export function atBounds(schema: Schema): Probe[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(atBounds);
  if (schema.const !== undefined)
    return [
      { what: 'the constant', value: schema.const },
      { what: 'another constant', value: `${JSON.stringify(schema.const)}x` },
    ];
  if (schema.enum !== undefined) return enumProbes(schema.enum);
  switch (schema.type) {
    case 'string':
      return schema.contentMediaType === 'image/*' ? [...goodPictures, ...brokenPictures] : textProbes(schema);
    case 'number':
    case 'integer':
      return numberProbes(schema);
    case 'boolean':
      return [true, false].map((value) => ({ what: String(value), value }));
    case 'array':
      return listProbes(schema);
    case 'object':
      return [{ what: 'a fitting object', value: sampleOf(schema) }];
    default:
      return [];
  }
}

export function sampleOf(schema: Schema): unknown {
  if (schema.anyOf !== undefined) return sampleOf(schema.anyOf[0]!);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'string':
      if (schema.contentMediaType === 'image/*') return goodPictures[0]!.value;
      if (schema.pattern !== undefined) return fittingText(schema.pattern);
      return 'x'.repeat(Math.max(1, schema.minLength ?? 1));
    case 'number':
    case 'integer':
      return Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? 1, 1), (schema.exclusiveMinimum ?? -Infinity) + 0.03125);
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () => sampleOf(schema.items ?? { type: 'string' }));
    case 'object':
      return Object.fromEntries(namesOf(schema).map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]));
    default:
      return null;
  }
}

function namesOf({ properties = {}, required = [], minProperties = 0 }: Schema): string[] {
  const others = Object.keys(properties).filter((name) => !required.includes(name));
  return [...required, ...others.slice(0, Math.max(0, minProperties - required.length))];
}

function enumProbes(values: readonly unknown[]): Probe[] {
  const first = String(values[0]);
  return [
    ...values.map((value) => ({ what: `the choice ${String(value)}`, value })),
    { what: 'a choice in capitals', value: first.toUpperCase() },
    { what: 'a choice with a space', value: ` ${first}` },
    { what: 'a choice with NUL', value: `${first}\u0000` },
    { what: 'two choices', value: values.slice(0, 2) },
    { what: 'a choice that is none', value: 'no_such_choice' },
    { what: 'prototype as choice', value: '__proto__' },
    { what: 'a choice of 100,000 characters', value: 'x'.repeat(100_000) },
  ];
}

/** One byte, two, three, four; the last is two UTF-16 units. */
const characters = ['x', 'é', '漢', '🤖', '\u0301'];

function textProbes({ minLength, maxLength, pattern }: Schema): Probe[] {
  const lengths = new Set(
    [minLength, maxLength].flatMap((bound) => (bound === undefined ? [] : [bound - 1, bound, bound + 1])).filter((n) => n >= 0),
  );
  const atLengths = [...lengths].flatMap((length) =>
    characters.map((character) => ({ what: `${length} times ${JSON.stringify(character)}`, value: character.repeat(length) })),
  );
  // Reveals whether code points, UTF-16 units or grapheme clusters are counted.
  const families = maxLength === undefined ? [] : [{ what: 'as many emoji families as characters are allowed', value: '👨‍👩‍👧'.repeat(maxLength) }];
  const patterned = pattern === undefined ? [] : patternProbes(pattern);
  const long = [3000, 100_000].map((length) => ({ what: `${length} characters`, value: 'W x '.repeat(length / 4) }));
  return [...atLengths, ...families, ...patterned, ...hostileTexts, ...long];
}

function patternProbes(pattern: string): Probe[] {
  const fitting = fittingText(pattern);
  return [
    fitting,
    `${fitting}\n`,
    `${fitting}x`,
    ` ${fitting}`,
    fitting.toUpperCase(),
    fitting.slice(1),
    '#fff',
    '#12345g',
    '#1234567',
    '#ABCdef',
    '＃123456',
  ].map((value) => ({ what: `against the pattern, ${JSON.stringify(value)}`, value }));
}

/** Returns a text that fits a published pattern: colours, hex digits, and languages. */
function fittingText(pattern: string): string {
  const candidates = ['#336699', 'ab12', 'ja', 'x'];
  return candidates.find((text) => new RegExp(pattern, 'u').test(text)) ?? '';
}

function numberProbes({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): Probe[] {
  const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter((bound) => bound !== undefined);
  const step = (bound: number): number => Math.max(Math.abs(bound), 1) * 2 ** -40;
  const around = bounds.flatMap((bound) => [bound, bound - step(bound), bound + step(bound), bound - 1, bound + 1]);
  const numbers = [...new Set([...around, 0, 0.5, 1, 2, 1e15, 1e308, -1e308, 5e-324, Number.MAX_SAFE_INTEGER])];
  return [
    ...numbers.map((value) => ({ what: `the number ${value}`, value })),
    ...['-0', '-0.0', '1.0', '1e0', '1E+2', '0.1e1', '9007199254740993', '1e400', '-1e400', '1e-400'].map((json) => ({
      what: json,
      value: new Raw(json),
    })),
    ...['1', '0x10', 'Infinity', '1e3', '١', ''].map((value) => ({ what: `the text ${JSON.stringify(value)} for a number`, value })),
    ...(type === 'integer' ? [{ what: 'a fraction for a whole number', value: 1.5 }] : []),
  ];
}

function listProbes({ items = {}, minItems, maxItems }: Schema): Probe[] {
  const item = sampleOf(items);
  const lengths = new Set([minItems, maxItems].flatMap((bound) => (bound === undefined ? [] : [bound - 1, bound, bound + 1])).filter((n) => n >= 0));
  const list = (length: number): unknown[] => Array.from({ length }, () => item);
  const odd = Math.max(minItems ?? 1, 1);
  return [
    ...[...lengths].map((length) => ({ what: `${length} entries`, value: list(length) })),
    { what: '10,000 entries', value: list(10_000) },
    ...[null, {}, [], '', 7, true].map((value) => ({ what: `the last entry ${JSON.stringify(value)}`, value: [...list(odd - 1), value] })),
    { what: 'an object of entries', value: { ...list(odd) } },
    { what: 'one entry without its list', value: item },
  ];
}

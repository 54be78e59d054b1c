import type { ErrorObject } from 'ajv/dist/2020.js';
import { colorPattern, notAColor } from '../values/color.js';
import { notPlainText, plainTextPattern } from '../base/plain-text.js';
import type { Problem } from '../base/open-object.js';
import { shapeNames } from '../values/region.js';

/**
 * Says what is wrong with which argument. @param errors from ajv with `allErrors: false` and `verbose: true` @param what names `root` in messages
 * about unknown arguments: `show` @param at path of `root`, such as `args`
 */
export function argumentProblem(errors: readonly ErrorObject[] | null | undefined, root: unknown, what: string, at = ''): Problem {
  const error = decisive(errors ?? []);
  if (error === undefined) return { message: 'The arguments are wrong.' };
  const field = pathOf(error.instancePath, root, at);
  if (error.keyword === 'required') return { field: join(field, String(error.params['missingProperty'])), message: 'is required but missing' };
  if (error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties') return unknownKey(error, field, what);
  if (isRegion(error)) return shapeProblem(error, field, what);
  const message = sentence(error);
  return field === '' ? { message: `The arguments are wrong: ${message}.` } : { field, message };
}

/** Selects the most helpful error: an `anyOf` reports each branch and then itself; the branch that matches the value's type explains the problem. */
function decisive(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const last = errors.at(-1);
  if (last?.keyword !== 'anyOf' && last?.keyword !== 'oneOf') return last;
  if (requiredSets(last) !== null) return last;
  const inside = errors.filter((error) => error !== last && (error.keyword !== 'type' || error.instancePath !== last.instancePath));
  return inside.length === 1 ? inside[0] : last;
}

function sentence(error: ErrorObject): string {
  const { keyword, params, data } = error;
  const limit = Number(params['limit']);
  switch (keyword) {
    case 'type':
      return `must be ${typeName(params['type'])}, not ${valueName(data)}`;
    case 'minimum':
      return `at least ${limit}`;
    case 'maximum':
      return `at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be above ${limit}`;
    case 'exclusiveMaximum':
      return `must be below ${limit}`;
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`;
    case 'minLength':
      return `at least ${counted(limit, 'character')}`;
    case 'maxLength':
      return `at most ${counted(limit, 'character')}`;
    case 'minItems':
    case 'maxItems':
      return itemCount(error, limit);
    case 'minProperties':
      return `at least ${counted(limit, 'property', 'properties')}`;
    case 'maxProperties':
      return `at most ${counted(limit, 'property', 'properties')}`;
    case 'enum':
      return `${quote(data)} is not one of ${(params['allowedValues'] as unknown[]).map((value) => (typeof value === 'string' ? value : quote(value))).join(', ')}`;
    case 'const':
      return `must be ${quote(params['allowedValue'])}`;
    case 'pattern':
      if (params['pattern'] === plainTextPattern) return notPlainText;
      return params['pattern'] === colorPattern ? notAColor(String(data)) : `does not match the pattern ${clip(String(params['pattern']))}`;
    case 'anyOf':
    case 'oneOf':
      return requiredSets(error) ?? `must be ${alternatives(error)}, not ${valueName(data)}`;
    default:
      return `does not fit (${keyword})`;
  }
}

function unknownKey(error: ErrorObject, field: string, what: string): Problem {
  const key = clip(String(error.params['additionalProperty'] ?? error.params['unevaluatedProperty']));
  const known = Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {});
  const takes = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
  return { field: join(field, key), message: field === '' ? `is not an argument of ${what}; ${takes}` : `is unknown; ${takes}` };
}

function isRegion(error: ErrorObject): boolean {
  const known = error.parentSchema?.['properties'] as object | undefined;
  const counts = error.keyword === 'minProperties' || error.keyword === 'maxProperties';
  return counts && known !== undefined && shapeNames.every((name) => Object.hasOwn(known, name));
}

/** Names the keys; ajv only reports how many a region has. */
function shapeProblem(error: ErrorObject, field: string, what: string): Problem {
  const region = error.data as Record<string, unknown>;
  const keys = Object.keys(region);
  const unknown = keys.find((key) => key !== 'id' && !(shapeNames as readonly string[]).includes(key));
  if (unknown !== undefined) return unknownKey({ ...error, params: { additionalProperty: unknown } }, field, what);
  if (!Object.hasOwn(region, 'id')) return { field: join(field, 'id'), message: 'is required but missing' };
  const shapes = keys.filter((key) => key !== 'id');
  if (shapes.length === 0) return { field, message: 'needs a shape: one of rect, circle or polygon' };
  return { field, message: `takes exactly one shape, not ${shapes.join(' and ')}` };
}

const entryNouns: Record<string, [one: string, many: string]> = {
  polygon: ['point', 'points'],
  pixels: ['colour', 'colours'],
  rect: ['number', 'numbers: [x, y, w, h]'],
  circle: ['number', 'numbers: [x, y, r]'],
};

function itemCount(error: ErrorObject, limit: number): string {
  const { minItems, maxItems, items } = error.parentSchema as { minItems?: number; maxItems?: number; items?: { type?: string } };
  const [one, many] = entryNouns[lastName(error.instancePath)] ?? ['entry', 'entries'];
  if (minItems !== undefined && minItems === maxItems) {
    const isPoint = items?.type === 'number' && /\/polygon\/\d+$/.test(error.instancePath);
    return isPoint ? 'exactly 2 numbers: [x, y]' : `exactly ${counted(limit, one, many)}`;
  }
  return `${error.keyword === 'minItems' ? 'at least' : 'at most'} ${counted(limit, one, many)}`;
}

function alternatives(error: ErrorObject): string {
  const branches = (error.schema as { type?: unknown }[]).map((branch) => typeName(branch.type));
  return [...new Set(branches)].join(' or ');
}

function requiredSets(error: ErrorObject): string | null {
  const sets = (error.schema as { required?: string[]; type?: unknown }[]).map(({ required, type }) => (type === undefined ? required : undefined));
  if (sets.includes(undefined)) return null;
  return `needs ${sets.map((set) => set!.join(' and ')).join(', or ')}`;
}

/** Turns `/regions/2/polygon` into `regions[2].polygon`; the value decides whether a number is an index or a key. */
function pathOf(pointer: string, root: unknown, at: string): string {
  let path = at;
  let value = root;
  for (const raw of pointer.split('/').slice(1)) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    path = Array.isArray(value) ? `${path}[${key}]` : join(path, clip(key));
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return path;
}

function join(path: string, name: string): string {
  const key = name === '' ? '""' : name;
  return path === '' ? key : `${path}.${key}`;
}

function lastName(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1);
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function typeName(type: unknown): string {
  if (Array.isArray(type)) return type.map(typeName).join(' or ');
  const names: Record<string, string> = {
    string: 'a string',
    number: 'a number',
    integer: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    null: 'null',
  };
  return names[String(type)] ?? 'something else';
}

function valueName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : String(value);
  return typeof value === 'string' ? 'a string' : 'an object';
}

function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null) return valueName(value);
  return typeof value === 'string' ? JSON.stringify(clip(value)) : String(value);
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

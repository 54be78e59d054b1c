/**
 * A robot's owner writes its schemas and every gateway runs them, so their cost must be bounded by their size: no recursive references, backtracking
 * patterns, pairwise comparison. Commands with other schemas are not offered.
 */
import { limits } from './limits.js';
import { isObject } from '../values/is-object.js';

const depthMax = 16;
const uniqueItemsMax = 64;

const single = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const maps = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies'];

export function boundedSchema(schema: object, text: string): boolean {
  return text.length <= limits.command.schemaCharsMax && bounded(schema, depthMax);
}

/** Visits subschemas only, because a property may be named `$ref` or `pattern`. */
function bounded(schema: unknown, depth: number): boolean {
  if (typeof schema === 'boolean') return true;
  if (typeof schema !== 'object' || schema === null) return true;
  if (depth === 0) return false;
  const at = schema as Record<string, unknown>;
  if (Object.keys(at).some((key) => key.startsWith('$') && key !== '$comment')) return false;
  if (typeof at['pattern'] === 'string' && !boundedPattern(at['pattern'])) return false;
  if (at['uniqueItems'] === true && !(Number(at['maxItems']) <= uniqueItemsMax)) return false;
  if (isObject(at['patternProperties']) && !Object.keys(at['patternProperties']).every(boundedPattern)) return false;
  return (
    single.every((key) => bounded(at[key], depth - 1)) &&
    lists.every((key) => !Array.isArray(at[key]) || at[key].every((inner) => bounded(inner, depth - 1))) &&
    maps.every((key) => !isObject(at[key]) || Object.values(at[key]).every((inner) => bounded(inner, depth - 1)))
  );
}

/** Returns whether a pattern runs in about linear time: one variable-length quantifier if anchored without `|`, else none, and up to ten branches. */
export function boundedPattern(pattern: string): boolean {
  if (pattern.length > 200 || /\\[1-9k]|\(\?(?!:)/.test(pattern)) return false;
  const plain = pattern
    .replace(/\\[pPu]\{[^}]*\}|\\./gs, 'a')
    .replace(/\[[^\]]*\]/g, 'a')
    .replaceAll('(?:', '(');
  if (/\)[*+?{]/.test(plain)) return false;
  const fixed = [...plain.matchAll(/\{(\d+)\}/g)];
  if (fixed.some((match) => Number(match[1]) > 64)) return false;
  const variable = [...plain.matchAll(/[*+?]|\{\d+,\d*\}/g)];
  if (variable.length > 0) return variable.length === 1 && plain.startsWith('^') && !/[(|]/.test(plain);
  return plain.split('|').length <= 11;
}

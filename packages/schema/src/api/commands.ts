/** Decides which of a robot's own commands are offered to programs, and validates their arguments against the robot's declaration. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { ApiError } from '../base/error.js';
import { excludedCommand } from '../robots/excluded-commands.js';
import { limits } from '../base/limits.js';
import type { DeclaredCommand } from '../link/hello.js';
import { problemError } from '../base/open-object.js';
import { isObject } from '../base/is-object.js';
import type { ListedCommand } from '../robots/robot.js';

/** Class `program`, not excluded, and its schema compiles. */
export function commandOffered(declared: DeclaredCommand): boolean {
  return declared.class === 'program' && !excludedCommand(declared.name) && validatorOf(declared) !== null;
}

export function listedCommands(declared: readonly DeclaredCommand[]): ListedCommand[] {
  return declared.filter(commandOffered).map(({ name, description, args }) => ({ name, description: description ?? '', args: args ?? takesNone }));
}

/** Does not check class and name: see `commandOffered`. @throws {ApiError} bad_argument with a field under `args`; not_offered: unusable schema */
export function validateCommandArgs(declared: DeclaredCommand, args: Record<string, unknown>): void {
  const fits = validatorOf(declared);
  if (fits === null) throw new ApiError('not_offered', `The robot does not offer ${declared.name}: the argument schema it declares cannot be used.`);
  const pictures = pictureArguments(declared);
  const checked = pictures.length === 0 ? args : shortened(args, pictures);
  const long = textTooLong(checked, 'args');
  if (long !== null) throw problemError({ field: long, message: `at most ${limits.link.textBytesMax} characters` });
  if (fits(checked)) return;
  // Names and values that the robot declares are in it.
  const problem = problemError(argumentProblem(fits.errors, checked, declared.name, 'args'));
  throw problem.with(problem.message, { untrusted: ['error', 'field'] });
}

export interface PictureArgument {
  path: string[];
  /** The service fits the picture into these pixels. Default: the screen's size. */
  maxW: number;
  maxH: number;
}

/** Finds `contentEncoding: "base64"` with an image's `contentMediaType`, in nested objects but not in lists. */
export function pictureArguments(declared: DeclaredCommand): PictureArgument[] {
  return declared.args === undefined ? [] : picturesIn(declared.args, []);
}

function picturesIn(schema: unknown, path: string[]): PictureArgument[] {
  const properties = isObject(schema) && isObject(schema['properties']) && path.length < limits.command.argsDepthMax ? schema['properties'] : {};
  return Object.entries(properties).flatMap(([key, inner]) => {
    if (!isObject(inner)) return [];
    const isPicture = inner['contentEncoding'] === 'base64' && String(inner['contentMediaType']).startsWith('image/');
    return isPicture
      ? [{ path: [...path, key], maxW: side(inner['x-max-w'], limits.screen.w), maxH: side(inner['x-max-h'], limits.screen.h) }]
      : picturesIn(inner, [...path, key]);
  });
}

function side(declared: unknown, fallback: number): number {
  return Number.isInteger(declared) && (declared as number) > 0 ? Math.min(declared as number, limits.pictureSideMax) : fallback;
}

/** Truncates pictures, which the service checks itself, so that the robot's patterns stay cheap. */
function shortened(args: Record<string, unknown>, pictures: PictureArgument[]): Record<string, unknown> {
  const copy = structuredClone(args);
  for (const { path } of pictures) {
    let at: unknown = copy;
    for (const key of path.slice(0, -1)) at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    const last = path.at(-1)!;
    if (!isObject(at) || !Object.hasOwn(at, last)) continue;
    const text = at[last];
    if (typeof text === 'string') at[last] = text.slice(0, 64);
  }
  return copy;
}

/** @returns path of a text too long for a frame to the robot, or null */
function textTooLong(value: unknown, path: string): string | null {
  if (typeof value === 'string') return value.length > limits.link.textBytesMax ? path : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const long = textTooLong(inner, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key.slice(0, 40)}`);
    if (long !== null) return long;
  }
  return null;
}

/** `ownProperties`: a robot may name an argument `constructor`. */
const ajv = new Ajv2020({ strict: false, ownProperties: true, validateFormats: false, verbose: true, addUsedSchema: false, logger: false });

const takesNone = { type: 'object', properties: {}, additionalProperties: false };

const validatorsMax = 512;
/** By the schema's JSON, least recently used first. Null: does not compile. */
const validators = new Map<string, ValidateFunction | null>();

function validatorOf(declared: DeclaredCommand): ValidateFunction | null {
  const text = JSON.stringify(declared.args ?? takesNone);
  let fits = validators.get(text);
  if (fits === undefined) {
    fits = compiled(JSON.parse(text) as Record<string, unknown>, text);
    if (validators.size >= validatorsMax) validators.delete(validators.keys().next().value!);
  } else {
    validators.delete(text);
  }
  validators.set(text, fits);
  return fits;
}

function compiled(schema: Record<string, unknown>, text: string): ValidateFunction | null {
  delete schema['$schema'];
  if (!boundedSchema(schema, text)) return null;
  try {
    return ajv.compile(schema);
  } catch {
    return null;
  } finally {
    // ajv keeps every schema it compiled; the map above is bounded.
    ajv.removeSchema(schema);
  }
}

/** A robot's owner writes its schemas and every gateway runs them, so their cost must be bounded by their size: no recursive references, backtracking
 * patterns, pairwise comparison. Commands with other schemas are not offered. */
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

function boundedSchema(schema: object, text: string): boolean {
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

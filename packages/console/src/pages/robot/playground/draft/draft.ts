/** Form input, and its conversion to a request. Text is converted only when it is sent, so that incomplete numbers are not lost. */
import { isRegion, type Region } from '../regions/region.js';
import type { Field, ListShape, Shape } from '../controls/schema-fields.js';

/** `undefined`: the argument is omitted. Only regions contain numbers; numbers of other fields are text. */
export type Draft = string | number | boolean | undefined | PickedPicture | Region[] | Draft[] | { [name: string]: Draft };
export type Drafts = { [name: string]: Draft };

/** A picture from a file, serialized to JSON as base64. */
export class PickedPicture {
  readonly fileName: string;
  readonly mediaType: string;
  readonly base64: string;
  /** The browser scaled or converted it, so that no file has these bytes. */
  readonly isScaled: boolean;

  constructor(fileName: string, mediaType: string, base64: string, isScaled = false) {
    this.fileName = fileName;
    this.mediaType = mediaType;
    this.base64 = base64;
    this.isScaled = isScaled;
  }

  toJSON(): string {
    return this.base64;
  }
}

export type Args = Record<string, unknown>;

export interface FieldProblem {
  field: string;
  message: string;
}

export function textOf(draft: Draft): string {
  return typeof draft === 'string' ? draft : '';
}

/** Returns an empty form, in which required lists have their minimum number of entries. */
export function emptyDraft(fields: readonly Field[]): Drafts {
  return Object.fromEntries(fields.map(({ name, required, shape }) => [name, required ? emptyValue(shape) : undefined]));
}

export function emptyValue(shape: Shape): Draft {
  switch (shape.kind) {
    case 'list':
      return Array.from({ length: shape.min }, () => emptyValue(shape.item));
    case 'object':
      return emptyDraft(shape.fields);
    case 'regions':
      return [];
    case 'color':
      return '#000000';
    case 'picture':
      return undefined;
    case 'flag':
      return true;
    default:
      return '';
  }
}

export function fitting(fields: readonly Field[], kept: Drafts): Drafts {
  const empty = emptyDraft(fields);
  return Object.fromEntries(fields.map(({ name, shape }) => [name, fits(shape, kept[name]) ? kept[name] : empty[name]]));
}

function fits(shape: Shape, value: unknown): boolean {
  if (value === undefined) return shape.kind !== 'regions' && shape.kind !== 'list';
  switch (shape.kind) {
    case 'list':
      return Array.isArray(value) && value.length >= shape.min && value.every((entry) => fits(shape.item, entry));
    case 'object':
      return isObject(value) && shape.fields.every(({ name, shape }) => fits(shape, value[name]));
    case 'choices':
      return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
    case 'regions':
      return Array.isArray(value) && value.every(isRegion);
    case 'flag':
      return typeof value === 'boolean';
    case 'picture':
      return typeof value === 'string' || value instanceof PickedPicture;
    default:
      return typeof value === 'string';
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the arguments, or all errors that prevent sending them, in the order of the fields. The service validates everything else. */
export function argsOf(fields: readonly Field[], draft: Drafts): { args: Args } | { problems: readonly [FieldProblem, ...FieldProblem[]] } {
  const problems: FieldProblem[] = [];
  const args = objectOf(fields, draft, '', problems);
  const [first, ...others] = problems;
  return first === undefined ? { args } : { problems: [first, ...others] };
}

function objectOf(fields: readonly Field[], draft: Drafts, path: string, problems: FieldProblem[]): Args {
  const args: Args = {};
  for (const { name, shape, required } of fields) {
    const value = valueOf(shape, draft[name], path === '' ? name : `${path}.${name}`, problems);
    const given = value !== undefined && !(value === '' && !required);
    if (given) args[name] = value;
  }
  return args;
}

function valueOf(shape: Shape, draft: Draft, path: string, problems: FieldProblem[]): unknown {
  if (draft === undefined) return undefined;
  switch (shape.kind) {
    case 'number':
      return numberOf(textOf(draft), path, problems);
    case 'json':
      return jsonOf(textOf(draft), path, problems);
    case 'flag':
      return draft === true ? true : undefined;
    case 'choices':
      return (draft as Draft[]).length === 0 ? undefined : draft;
    case 'choice':
    case 'color':
      return draft === '' ? undefined : draft;
    case 'list':
      return listOf(shape, draft as Draft[], path, problems);
    case 'object':
      return objectOf(shape.fields, draft as Drafts, path, problems);
    case 'text':
    case 'picture':
    case 'regions':
      return draft;
  }
}

/** Keeps empty entries, so that indexes in the service's errors match the form. */
function listOf({ item }: ListShape, draft: readonly Draft[], path: string, problems: FieldProblem[]): unknown[] {
  return draft.map((entry, at) => abbreviated(valueOf(item, entry, `${path}[${at}]`, problems) ?? ''));
}

/** Converts a tile that has only a label to that label. */
function abbreviated(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof PickedPicture) return value;
  const [name, ...more] = Object.keys(value);
  return name === 'label' && more.length === 0 ? (value as { label: unknown }).label : value;
}

function numberOf(text: string, path: string, problems: FieldProblem[]): number | undefined {
  const written = text.trim().replace(',', '.');
  if (written === '') return undefined;
  const value = Number(written);
  if (Number.isFinite(value)) return value;
  problems.push({ field: path, message: `${text.trim()} is not a number. Enter a number such as 0.5.` });
  return undefined;
}

function jsonOf(text: string, path: string, problems: FieldProblem[]): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    problems.push({ field: path, message: `This is not valid JSON: ${(error as Error).message}` });
    return undefined;
  }
}

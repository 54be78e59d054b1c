/**
 * What somebody has put into a form, as it stands in its fields: text stays text until it is sent, so that nothing that was typed is lost
 * for not being a number yet. From it the body of the call is made.
 */
import { isRegion, type Region } from '../regions/region.js';
import type { Field, ListShape, Shape } from '../controls/schema-fields.js';

/** `undefined`: the argument is left out. Numbers stand in regions alone; those of other fields are text. */
export type Draft = string | number | boolean | undefined | PickedPicture | Region[] | Draft[] | { [name: string]: Draft };
export type Drafts = { [name: string]: Draft };

/** A picture out of a file. As JSON it is its bytes in base64. */
export class PickedPicture {
  readonly fileName: string;
  readonly mediaType: string;
  readonly base64: string;

  constructor(fileName: string, mediaType: string, base64: string) {
    this.fileName = fileName;
    this.mediaType = mediaType;
    this.base64 = base64;
  }

  toJSON(): string {
    return this.base64;
  }
}

/** Arguments as they are sent; pictures as they were picked. */
export type Args = Record<string, unknown>;

export interface FieldProblem {
  /** Path of the argument, such as `items[1].label`. */
  field: string;
  message: string;
}

/** What stands in a field of text; '' where that is nothing. */
export function textOf(draft: Draft): string {
  return typeof draft === 'string' ? draft : '';
}

/** What a form begins with: nothing, but as many entries as a list must have. */
export function emptyDraft(fields: readonly Field[]): Drafts {
  return Object.fromEntries(fields.map(({ name, required, shape }) => [name, required ? emptyValue(shape) : undefined]));
}

/** What an entry begins with that is there. */
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

/** What was kept of an earlier visit, as far as it still fits the form; the rest begins anew. */
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
      return value instanceof PickedPicture;
    default:
      return typeof value === 'string';
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns the arguments, or what keeps them from being sent; everything else is for the service to judge, which says what is wrong and where */
export function argsOf(fields: readonly Field[], draft: Drafts): { args: Args } | { problem: FieldProblem } {
  const problems: FieldProblem[] = [];
  const args = objectOf(fields, draft, '', problems);
  const problem = problems[0];
  return problem === undefined ? { args } : { problem };
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

/** Entries keep their places, empty ones too, so that what the service says of `answers[1]` is said of the second in the form. */
function listOf({ item }: ListShape, draft: readonly Draft[], path: string, problems: FieldProblem[]): unknown[] {
  return draft.map((entry, at) => shortened(valueOf(item, entry, `${path}[${at}]`, problems) ?? ''));
}

/** A tile with nothing but a label is that label. */
function shortened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof PickedPicture) return value;
  const [name, ...more] = Object.keys(value);
  return name === 'label' && more.length === 0 ? (value as { label: unknown }).label : value;
}

function numberOf(text: string, path: string, problems: FieldProblem[]): number | undefined {
  const written = text.trim().replace(',', '.');
  if (written === '') return undefined;
  const value = Number(written);
  if (Number.isFinite(value)) return value;
  problems.push({ field: path, message: `${text.trim()} is not a number. Write one such as 0.5.` });
  return undefined;
}

function jsonOf(text: string, path: string, problems: FieldProblem[]): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    problems.push({ field: path, message: `This is not JSON yet: ${(error as Error).message}` });
    return undefined;
  }
}

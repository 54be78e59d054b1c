/** The reverse of `argsOf`: form input that makes the arguments of an earlier call. */
import type { Field, Shape } from '../controls/schema-fields.js';
import { fitting, type Args, type Draft, type Drafts } from './draft.js';

/** Leaves out arguments that the form cannot express. */
export function draftsOf(fields: readonly Field[], args: Args): Drafts {
  return fitting(fields, partsOf(fields, args));
}

function partsOf(fields: readonly Field[], args: Args): Drafts {
  return Object.fromEntries(fields.map(({ name, shape }) => [name, draftOf(shape, args[name])]));
}

function draftOf(shape: Shape, value: unknown): Draft {
  if (value === undefined) return undefined;
  switch (shape.kind) {
    case 'number':
      return typeof value === 'number' ? String(value) : undefined;
    case 'json':
      return JSON.stringify(value, null, 2);
    case 'list':
      return Array.isArray(value) ? value.map((entry) => draftOf(shape.item, entry)) : undefined;
    case 'object':
      // A tile that has only a label is that label.
      return partsOf(shape.fields, typeof value === 'object' ? (value as Args) : { label: value });
    case 'text':
    case 'flag':
    case 'choice':
    case 'choices':
    case 'color':
    case 'picture':
    case 'regions':
      return value as Draft;
  }
}

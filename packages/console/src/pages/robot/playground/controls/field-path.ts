import type { Draft, Drafts } from '../draft/draft.js';
import type { Field, Shape } from './schema-fields.js';

/** Returns the innermost field that contains the argument, or null. `args.pct` is part of the field `args`, which takes JSON. */
export function nearestField(fields: readonly Field[], draft: Drafts, argument: string): string | null {
  const steps = argument.match(/[^.[\]]+|\[\d+\]/g) ?? [];
  const [name, ...inside] = steps;
  const field = fields.find((each) => each.name === name);
  return field === undefined ? null : descend(field.shape, draft[field.name], inside, field.name);
}

function descend(shape: Shape, draft: Draft, steps: readonly string[], path: string): string {
  const [step, ...inside] = steps;
  if (step === undefined) return path;
  if (Array.isArray(draft) && /^\[\d+\]$/.test(step)) {
    const at = Number(step.slice(1, -1));
    if (at >= draft.length) return path;
    if (shape.kind === 'regions') return `${path}${step}`;
    return shape.kind === 'list' ? descend(shape.item, draft[at], inside, `${path}${step}`) : path;
  }
  if (shape.kind !== 'object') return path;
  const field = shape.fields.find((each) => each.name === step);
  return field === undefined ? path : descend(field.shape, (draft as Drafts | undefined)?.[step], inside, `${path}.${step}`);
}

/** Schemas of objects whose keys are not ours to know. (`Type.Record` would publish a `patternProperties` that says nothing.) */
import { Type } from 'typebox';

export function openObject(description?: string) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', ...(description === undefined ? {} : { description }) });
}

/** A string out of a closed list, published as an `enum`. */
export function oneOf<const T extends string>(values: readonly T[], options: { description?: string } = {}) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });
}

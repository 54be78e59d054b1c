/** Schemas of objects with arbitrary keys, and of enums. (`Type.Record` would publish a meaningless `patternProperties`.) */
import { Type } from 'typebox';

export function openObject(description?: string) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', ...(description === undefined ? {} : { description }) });
}

export function oneOf<const T extends string>(values: readonly T[], options: { description?: string } = {}) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });
}

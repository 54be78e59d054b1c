/** Schemas of objects with arbitrary keys, and of enums. (`Type.Record` would publish a meaningless `patternProperties`.) */
import { Type } from 'typebox';
import { ApiError, type ErrorCode } from './error.js';

export function openObject(description?: string) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', ...(description === undefined ? {} : { description }) });
}

export function oneOf<const T extends string>(values: readonly T[], options: { description?: string; 'x-picker'?: string } = {}) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });
}

export interface Problem {
  /** Such as `items[1].label`; absent if no single argument is at fault. */
  field?: string;
  /** With its remedy, without the field. */
  message: string;
  /** Default: bad_argument. */
  code?: ErrorCode;
}

export function problemError({ field, message, code }: Problem): ApiError {
  return new ApiError(code ?? 'bad_argument', field === undefined ? message : `${field}: ${message}`, { field });
}

export type Json = Record<string, unknown>;

/** Sentences that begin with a place in a schema; none: the schema is taken. */
export type Problems = string[];

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

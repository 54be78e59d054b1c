/** The validator all our own schemas are compiled with. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';

/** Whether a value fits a schema; `errors` says why the last one did not. */
export interface Validator<T = unknown> {
  (value: unknown): value is T;
  errors: ErrorObject[] | null;
}

/** All that is compiled with it, which a test holds against the meta-schema: to compile that as well took each process most of its first call. */
export const schemas: TSchema[] = [];

/** `verbose` puts the value and the schema at fault into the errors: sentences are made of them. */
const ajv = new Ajv2020({
  strict: true,
  validateSchema: false,
  allErrors: false,
  verbose: true,
  allowUnionTypes: true,
  formats: { 'date-time': true },
});

/** Compiled for the first value: all schemas together take a third of a second, and few processes meet all of them. */
export function compile<T = unknown>(schema: TSchema): Validator<T> {
  schemas.push(schema);
  let compiled: ValidateFunction<T> | null = null;
  const validate = (value: unknown): value is T => {
    compiled ??= ajv.compile<T>(schema);
    const fits = compiled(value);
    validator.errors = compiled.errors ?? null;
    return fits;
  };
  const validator: Validator<T> = Object.assign(validate, { errors: null });
  return validator;
}

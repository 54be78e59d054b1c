import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { formKeywords } from '../base/argument-form.js';

/** `errors` explains the last failure. */
export interface Validator<T = unknown> {
  (value: unknown): value is T;
  errors: ErrorObject[] | null;
}

/** A test checks them against the meta-schema; compiling that in each process took most of its first call. */
export const schemas: TSchema[] = [];

/** `verbose`: argument-problem.ts builds its messages from the value and the schema in each error. */
const ajv = new Ajv2020({
  strict: true,
  validateSchema: false,
  allErrors: false,
  verbose: true,
  allowUnionTypes: true,
  formats: { 'date-time': true },
});
ajv.addVocabulary([...formKeywords]);

/** Compiles on first use: compiling all schemas takes a third of a second, and few processes need all of them. */
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

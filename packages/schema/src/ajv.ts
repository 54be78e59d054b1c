/** The validator all our own schemas are compiled with, once, when the module loads. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';

/** `verbose` puts the value and the schema at fault into the errors: sentences are made of them. */
const ajv = new Ajv2020({ strict: true, allErrors: false, verbose: true, allowUnionTypes: true, formats: { 'date-time': true } });

export function compile<T = unknown>(schema: TSchema): ValidateFunction<T> {
  return ajv.compile<T>(schema);
}

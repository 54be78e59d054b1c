import { ApiError } from '../base/error.js';
import type { Validator } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { nameProblem } from '../base/plain-text.js';
import { problemError } from '../base/open-object.js';
import { isObject } from '../base/is-object.js';

/** @param what names the body in messages about unknown fields @throws {ApiError} bad_argument with `field` */
export function checked<T>(fits: Validator<T>, body: unknown, what: string): T {
  if (!isObject(body)) throw new ApiError('bad_argument', 'The body must be a JSON object.');
  if (!fits(body)) throw problemError(argumentProblem(fits.errors, body, what));
  return body;
}

export function trimmedName(text: string): string {
  const trimmed = text.trim();
  const problem = nameProblem(trimmed);
  if (problem !== null) throw problemError({ field: 'name', message: problem });
  return trimmed;
}

/** What is wrong with one argument, before it becomes an `ApiError`. */
import { ApiError } from '../api/error.js';
import type { ErrorCode } from '../api/error.js';

export interface Problem {
  /** Path of the argument, such as `items[1].label`; left out where no single one is at fault. */
  field?: string;
  /** What is wrong and what to do, without the field. */
  message: string;
  /** bad_argument unless said otherwise. */
  code?: ErrorCode;
}

/** The error of a problem: its message opens with the path. */
export function problemError({ field, message, code }: Problem): ApiError {
  return new ApiError(code ?? 'bad_argument', field === undefined ? message : `${field}: ${message}`, { field });
}

/** A problem with one argument, before it becomes an `ApiError`. */
import { ApiError } from '../api/error.js';
import type { ErrorCode } from '../api/error.js';

export interface Problem {
  /** Path of the argument, such as `items[1].label`; absent if no single argument is at fault. */
  field?: string;
  /** The problem and its remedy, without the field. */
  message: string;
  /** Default: bad_argument. */
  code?: ErrorCode;
}

/** Returns the problem as an error; the message begins with the field. */
export function problemError({ field, message, code }: Problem): ApiError {
  return new ApiError(code ?? 'bad_argument', field === undefined ? message : `${field}: ${message}`, { field });
}

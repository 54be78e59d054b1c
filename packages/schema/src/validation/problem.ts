import { ApiError } from '../api/error.js';
import type { ErrorCode } from '../api/error.js';

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

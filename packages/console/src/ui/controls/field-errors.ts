/** Which field of a form an error belongs to. */
import { CallError } from '../../api/call-error.js';
import { toldAt } from '../time/told-at.js';

/**
 * @param fields names of the form's fields
 * @returns the error's sentence under the field it names, by its whole path or by where that begins; {} where it names none of them
 */
export function fieldErrors(error: unknown, fields: readonly string[]): Record<string, string> {
  if (!(error instanceof CallError) || error.field === null) return {};
  const { field } = error;
  const name = [field, /^[^.[]*/.exec(field)![0]].find((candidate) => fields.includes(candidate));
  return name === undefined ? {} : { [name]: toldAt(field, error.message) };
}

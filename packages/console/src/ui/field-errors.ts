/** Which field of a form an error belongs to. */
import { CallError } from '../api/call-error.js';

/**
 * @param fields names of the form's fields
 * @returns the error's sentence under the field it names, by its whole path or by where that begins; {} where it names none of them
 */
export function fieldErrors(error: unknown, fields: readonly string[]): Record<string, string> {
  if (!(error instanceof CallError) || error.field === null) return {};
  const { field } = error;
  const name = [field, /^[^.[]*/.exec(field)![0]].find((candidate) => fields.includes(candidate));
  return name === undefined ? {} : { [name]: withoutPath(error.message, field) };
}

/** The service's sentences begin with the path, which the place at the field says already. */
function withoutPath(message: string, field: string): string {
  if (!message.startsWith(`${field}: `)) return message;
  const rest = message.slice(field.length + 2);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

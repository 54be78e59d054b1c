import { CallError } from '../../api/call-error.js';
import { fieldMessage } from '../field-message.js';

/** @returns messages by field, matched by the full path or its first segment; {} if no field matches */
export function fieldErrors(error: unknown, fields: readonly string[]): Record<string, string> {
  if (!(error instanceof CallError) || error.field === null) return {};
  const { field } = error;
  const name = [field, /^[^.[]*/.exec(field)![0]].find((candidate) => fields.includes(candidate));
  return name === undefined ? {} : { [name]: fieldMessage(field, error.message) };
}

/**
 * Escapes text from people and robots, since terminals execute escape sequences. Responses are escaped before they are formatted, so that a line
 * break in a value cannot imitate a line of output; JSON and errors are escaped as a whole.
 */
import { escapeUnsafe } from '@perch/schema/plain';

/** Escapes every string, including field names. */
export function printableAnswer<T>(answer: T): T {
  return printable(answer) as T;
}

/** Escapes also C1 and text-direction characters, which JSON.stringify does not. */
export function printableJson(answer: object): string {
  return escapeUnsafe(JSON.stringify(answer));
}

export const printableText = escapeUnsafe;

/** Keeps line breaks, as in an error with its stack. */
export function printableLines(text: string): string {
  return text.split('\n').map(escapeUnsafe).join('\n');
}

function printable(value: unknown): unknown {
  if (typeof value === 'string') return escapeUnsafe(value);
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [escapeUnsafe(name), printable(inner)]));
}

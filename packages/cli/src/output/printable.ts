/**
 * What people and robots wrote may hold escape sequences, which a terminal executes. Everything that is printed passes here: answers before they
 * become text, so that a line break inside a value does not look like a line of our own, and JSON and errors as a whole.
 */
import { escapeUnsafe } from '@perch/schema/plain';

/** A copy of an answer in which every string, names of fields included, is safe to print. */
export function printableAnswer<T>(answer: T): T {
  return printable(answer) as T;
}

/** One line of JSON with the same value. JSON.stringify escapes C0 but neither C1 nor text-direction characters. */
export function printableJson(answer: object): string {
  return escapeUnsafe(JSON.stringify(answer));
}

/** Text of one line, such as an error's message. */
export const printableText = escapeUnsafe;

/** Text of several lines, such as an error with its stack. */
export function printableLines(text: string): string {
  return text.split('\n').map(escapeUnsafe).join('\n');
}

function printable(value: unknown): unknown {
  if (typeof value === 'string') return escapeUnsafe(value);
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [escapeUnsafe(name), printable(inner)]));
}

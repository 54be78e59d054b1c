/**
 * Text that is safe to print: without control characters, which a terminal executes, and without characters that reorder what surrounds them.
 * Programs and pages are refused such text (400, naming the argument). Robots cannot correct themselves, so theirs is replaced. Text that must stay
 * as it was read, such as an NFC sticker's, is escaped where it is printed.
 */

/** C0 (line breaks included), DEL, C1, the line and paragraph separators, and Unicode's Bidi_Control characters: overrides, isolates and marks. */
const unsafe = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const unsafeCharacter = new RegExp(`[${unsafe}]`, 'gu');
/** With halves of a surrogate pair, which JSON can carry and UTF-8 cannot: two texts that differ in them alone would be one as soon as they are written. */
const unsafeOrHalf = new RegExp(`[${unsafe}\\ud800-\\udfff]`, 'gu');

/** For JSON Schemas: one line of plain text. */
export const plainTextPattern = `^[^${unsafe}]*$`;

/** Returns a class of a regular expression (flag u) for one character of plain text. @param others that are not allowed either, as in a class */
export function plainCharacter(others: string): string {
  return `[^${unsafe}${others}]`;
}

/** What to answer for text that does not match `plainTextPattern`, after the field's name. */
export const notPlainText = 'must not contain line breaks, control characters or text-direction characters';

export function isPlainText(text: string): boolean {
  return text.search(unsafeCharacter) === -1;
}

/** Shows each unsafe character as `\uXXXX`. JSON text stays the same JSON: outside its strings there is none but line breaks between tokens. */
export function escapeUnsafe(text: string): string {
  return text.replace(unsafeCharacter, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Replaces each unsafe character with U+FFFD, so that text which must not be refused stays as long as it was. */
export function replaceUnsafe(text: string): string {
  return text.replace(unsafeOrHalf, '\ufffd');
}

/**
 * Text that is safe to print: without control characters, which terminals execute, and without characters that reorder the surrounding text.
 * Unsafe text from programs and pages is rejected (400, naming the argument). In text from robots, which cannot correct it, unsafe characters are
 * replaced. Text that must be kept unchanged, such as an NFC sticker's, is escaped when it is printed.
 */

/** C0 (line breaks included), DEL, C1, the line and paragraph separators, and Unicode's Bidi_Control characters: overrides, isolates and marks. */
const unsafe = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const unsafeCharacter = new RegExp(`[${unsafe}]`, 'gu');
/** Includes lone surrogates, which JSON can carry and UTF-8 cannot: texts that differ only in them would become equal when written as UTF-8. */
const unsafeOrHalf = new RegExp(`[${unsafe}\\ud800-\\udfff]`, 'gu');

/** JSON Schema pattern of one line of plain text. */
export const plainTextPattern = `^[^${unsafe}]*$`;

/** Returns a regular expression class (flag u) for one character of plain text. @param others further characters to exclude, in class syntax */
export function plainCharacter(others: string): string {
  return `[^${unsafe}${others}]`;
}

/** Message for text that does not match `plainTextPattern`; follows the field's name. */
export const notPlainText = 'must not contain line breaks, control characters or text-direction characters';

export function isPlainText(text: string): boolean {
  return text.search(unsafeCharacter) === -1;
}

/** Escapes each unsafe character as `\uXXXX`. JSON text stays equivalent: outside strings it contains no unsafe characters except line breaks between tokens. */
export function escapeUnsafe(text: string): string {
  return text.replace(unsafeCharacter, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Replaces each unsafe character with U+FFFD, which keeps the text's length. */
export function replaceUnsafe(text: string): string {
  return text.replace(unsafeOrHalf, '\ufffd');
}

/**
 * Text that is safe to print has no control characters, which terminals execute, or characters that reorder text. Unsafe text of programs and pages
 * is rejected (400), of robots replaced, and what must stay unchanged, such as an NFC sticker's, is escaped when it is printed.
 */

/** C0 (line breaks included), DEL, C1, the line and paragraph separators, and Unicode's Bidi_Control characters. */
const unsafe = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const unsafeCharacter = new RegExp(`[${unsafe}]`, 'gu');
/** Lone surrogates, which UTF-8 cannot express: texts that differ only in them would become equal. */
const unsafeOrHalf = new RegExp(`[${unsafe}\\ud800-\\udfff]`, 'gu');

export const plainTextPattern = `^[^${unsafe}]*$`;

/** Returns a character class (flag u). @param others further characters to exclude, in class syntax */
export function plainCharacter(others: string): string {
  return `[^${unsafe}${others}]`;
}

export const notPlainText = 'must not contain line breaks, control characters or text-direction characters';

export function isPlainText(text: string): boolean {
  return text.search(unsafeCharacter) === -1;
}

/** Writes unsafe characters as `\uXXXX`. JSON stays equivalent: outside strings it has none except line breaks between tokens. */
export function escapeUnsafe(text: string): string {
  return text.replace(unsafeCharacter, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function replaceUnsafe(text: string): string {
  return text.replace(unsafeOrHalf, '\ufffd');
}

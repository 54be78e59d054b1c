import { limits } from './limits.js';

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

/** In Unicode code points, as JSON Schema counts. */
export const nameCharsMax = 64;

/** @param name without surrounding blanks @returns what is wrong with it, or null */
export function nameProblem(name: string): string | null {
  if (isLonger(name, nameCharsMax)) return `at most ${nameCharsMax} characters`;
  return isPlainText(name) ? null : notPlainText;
}

/** @param serial without surrounding blanks @returns what is wrong with it, or null */
export function serialProblem(serial: string): string | null {
  if (serial === '') return 'is missing';
  if (isLonger(serial, limits.robots.serialCharsMax)) return `at most ${limits.robots.serialCharsMax} characters`;
  return isPlainText(serial) ? null : notPlainText;
}

/** @param name empty if the robot has none */
export function robotName(id: string, name: string): string {
  return name === '' ? id : name;
}

export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text) && isPlainText(text);
}

/** Spreads no text that is far too long. A code point is at most two code units. */
function isLonger(text: string, charsMax: number): boolean {
  return text.length > 2 * charsMax || [...text].length > charsMax;
}

/**
 * Control sequences of terminals, with 7-bit and 8-bit introducers: colours, cursor movements, titles, links. ECMA-48 (5th edition, 5.4 to 5.6) has CSI
 * with its parameters and the command strings, which end with ST; xterm and GCC end them with BEL, too (chalk/ansi-regex#56, oven-sh/bun#28872). One that
 * was cut off before its last character is removed as far as it goes. A string without an end in its line loses its introducer alone, and so does an escape
 * before a character that ends no sequence in use: what follows may be text.
 */
const sequences =
  // eslint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\n\r\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b(?: [F-N]|[#%()*+.-][0-~]|[6-9<=>DEHMNOZ\\cno|}~])?/g;

export function withoutTerminalSequences(text: string): string {
  return text.replace(sequences, '');
}

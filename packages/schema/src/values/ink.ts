import { withoutTerminalSequences } from '../base/plain-text.js';

/** Leaves no mark alone: white space, control and format characters, variation selectors, fillers, combining marks, blanks, noncharacters. */
const blank = '\\s\\p{Cc}\\p{Cf}\\p{M}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc\\ufffe\\uffff';
const inkCharacter = new RegExp(`[^${blank}]`, 'u');

export const withoutInk = 'has nothing to read: send at least one visible character';

/** Returns whether a person sees anything of a text on the screen. A character that no font has is shown as its code point. */
export function hasInk(text: string): boolean {
  return inkCharacter.test(withoutTerminalSequences(text));
}

export function firstInk(text: string): string | undefined {
  return inkCharacter.exec(text)?.[0];
}

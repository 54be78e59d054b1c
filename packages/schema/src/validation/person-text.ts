/** For names of robots and keys, serial numbers, e-mail addresses. */
import { limits } from '../api/limits.js';
import { isPlainText, notPlainText } from './plain-text.js';

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

/** Checks texts that people choose and that lists print: names of robots and keys, serial numbers, e-mail addresses. */
import { limits } from '../api/limits.js';
import { isPlainText, notPlainText } from './plain-text.js';

/** In UTF-16 code units. */
export const nameCharsMax = 64;

/** @param name of a robot or a key, without surrounding blanks @returns what is wrong with it, or null */
export function nameProblem(name: string): string | null {
  if (name.length > nameCharsMax) return `at most ${nameCharsMax} characters`;
  return isPlainText(name) ? null : notPlainText;
}

/** @param serial of a robot, without surrounding blanks @returns what is wrong with it, or null */
export function serialProblem(serial: string): string | null {
  if (serial === '') return 'is missing';
  if (serial.length > limits.robots.serialCharsMax) return `at most ${limits.robots.serialCharsMax} characters`;
  return isPlainText(serial) ? null : notPlainText;
}

/** Returns the name to display for a robot. @param name as stored; empty if the robot has none */
export function robotName(id: string, name: string): string {
  return name === '' ? id : name;
}

export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text) && isPlainText(text);
}

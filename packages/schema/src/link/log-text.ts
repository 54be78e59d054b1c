import { limits } from '../base/limits.js';
import { replaceUnsafe } from '../base/plain-text.js';

/** Turns tabs and line breaks into spaces, replaces unsafe characters, and cuts between code points. */
export function logText(text: string): string {
  const { logTextCharsMax } = limits.link;
  // A code point is at most two code units.
  const start = text.slice(0, logTextCharsMax * 2).replaceAll(/[\t\n\r\u2028\u2029]+/g, ' ');
  return [...replaceUnsafe(start)].slice(0, logTextCharsMax).join('').trimEnd();
}

/** Shared fields of the link's messages, and the base of every text message. Unknown fields are ignored. */
import { Type, type TProperties } from 'typebox';
import { limits } from '../base/limits.js';
import { replaceUnsafe } from '../base/plain-text.js';

/** @param rules further JSON Schema keywords, such as an `anyOf` over `required` */
export function linkMessage<const T extends string, P extends TProperties>(t: T, properties: P, description: string, rules: object = {}) {
  return Type.Object({ t: Type.Literal(t), ...properties }, { title: t, description, ...rules });
}

export const shortText = () => Type.String({ minLength: 1, maxLength: 64 });
export const count = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const streamNumber = () => Type.Integer({ minimum: 0, maximum: 65_535 });
export const robotClock = () =>
  Type.Number({ minimum: 0, description: "The robot's clock: ms since boot, the same in acks and input; never wraps." });
export const inputNumber = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

/** Turns tabs and line breaks into spaces, replaces unsafe characters, and cuts between code points. */
export function logText(text: string): string {
  const { logTextCharsMax } = limits.link;
  // A code point is at most two code units.
  const start = text.slice(0, logTextCharsMax * 2).replaceAll(/[\t\n\r\u2028\u2029]+/g, ' ');
  return [...replaceUnsafe(start)].slice(0, logTextCharsMax).join('').trimEnd();
}

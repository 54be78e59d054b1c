import { Refused } from './refused.js';

/** Returns a parser of the value of a flag. It throws `Refused`, naming the flag, unless the value is a whole number of at least `least`. */
export function wholeNumber(flag: string, least = 1): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < least) throw new Refused(`${flag} must be a whole number, ${least} or more`, 'usage');
    return value;
  };
}

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @returns ms, or null if the text is not a duration */
export function durationMs(text: string): number | null {
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return unit === undefined ? null : Number(number) * unitMs[unit]!;
}

import { Refused } from './refused.js';

/** Returns a parser of the value of a flag. It throws `Refused`, naming the flag, unless the value is a whole number of at least `least`. */
export function wholeNumber(flag: string, least = 1): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < least) throw new Refused(`${flag} must be a whole number, ${least} or more`, 'usage');
    return value;
  };
}

import { lazily } from '../formats/lazily.js';

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const relative = lazily(() => new Intl.RelativeTimeFormat('en', { numeric: 'auto' }));

/** Returns text such as `3 minutes ago`, `in 2 days`, `just now`. @param at, now ms since 1970 */
export function relativeTime(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length * 0.98) return relative().format(Math.trunc(Math.round((seconds / length) * 10) / 10), unit);
  }
  return seconds > 1 ? 'in a moment' : 'just now';
}

// In the browser's locale; relative times are words of a sentence, in the language of the page.
const date = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }));
const dateAndTime = lazily(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }));

/** @param at RFC 3339 */
export function dateOf(at: string): string {
  return date().format(new Date(at));
}

/** @param at RFC 3339 */
export function timeOf(at: string): string {
  return dateAndTime().format(new Date(at));
}

import { lazily } from '../../ui/formats/lazily.js';

/** Formats times of day to the second, in the browser's locale and time zone. */
const format = lazily(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }));

/** @param at ms since 1970 */
export function timeOfDay(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? '' : format().format(time);
}

/** Formats times of day to the second, in the browser's time zone. */
const format = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

/** @param at ms since 1970 */
export function timeOfDay(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? '' : format.format(time);
}

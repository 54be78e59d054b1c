/** The button of an infrared remote: a NEC code, or the marks and spaces of another protocol. */
import { eventBytesMax } from '@perch/store';
import { decodeNec } from './nec.js';

/** JSON around the numbers of `raw`. */
const aroundBytes = '{"raw":[]}'.length;

/**
 * Data of the event `remote`; null for the repeats of a button that is held: it was pressed once.
 * `raw` is in whole microseconds, as many from the first as an event can carry (about 200), a mark last.
 */
export function remoteData(rawUs: readonly number[]): Record<string, unknown> | null {
  const code = decodeNec(rawUs);
  if (code === 'repeat') return null;
  if (code !== null) return { address: code.address, command: code.command };
  const raw: number[] = [];
  let left = eventBytesMax - aroundBytes;
  for (const us of rawUs) {
    const whole = Math.round(us);
    left -= String(whole).length + 1;
    if (left < 0) break;
    raw.push(whole);
  }
  if (raw.length < rawUs.length && raw.length % 2 === 0) raw.pop();
  return { raw };
}

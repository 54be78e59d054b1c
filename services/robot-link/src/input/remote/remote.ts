/** Event data of an infrared remote: a NEC code, or the marks and spaces of another protocol. */
import type { InputOf } from '@perch/schema';
import { eventBytesMax } from '@perch/store';
import { decodeNec } from './nec.js';

/** JSON around the numbers of `raw`. */
const aroundBytes = '{"raw":[]}'.length;

/**
 * Returns the data of the event `remote`, or null for the repeat code of a button that is held: it was pressed once. `raw` is in whole microseconds:
 * the first entries, as many as fit into an event (about 200), ending with a mark.
 */
export function remoteData({
  raw_us: rawUs = [],
  address,
  command,
}: Pick<InputOf<'ir'>, 'raw_us' | 'address' | 'command'>): Record<string, unknown> | null {
  if (address !== undefined && command !== undefined) return { address, command };
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

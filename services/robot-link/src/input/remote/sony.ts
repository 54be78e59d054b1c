/**
 * Sony's SIRC of 12, 15 or 20 bits: 2.4 ms mark, then for each bit a space of 0.6 ms and a mark of 1.2 ms (1) or 0.6 ms (0). Least significant first:
 * 7 of the command, 5 or 8 of the address; with 20 bits, 8 more extend an address of 5. Every 45 ms, at least three times.
 */
import { agrees, leastFirst } from './lengths.js';
import type { RemoteCode } from './remote-code.js';

const unitUs = 600;
const headUnits = 4;
const commandBits = 7;
/** A space and a mark have 2 units together, or 3 for a 1. */
const oneFrom = Math.sqrt(2 * 3);

export function decodeSony(frame: readonly number[]): RemoteCode | null {
  const count = (frame.length - 1) / 2;
  if (![12, 15, 20].includes(count)) return null;
  const roughUs = (frame[0]! + frame[1]!) / (headUnits + 1);
  const bits = Array.from({ length: count }, (_, bit) => (frame[1 + 2 * bit]! + frame[2 + 2 * bit]! >= oneFrom * roughUs ? 1 : 0));
  const units = [headUnits, ...bits.flatMap((bit) => [1, 1 + bit])];
  if (!agrees(frame, units, unitUs)) return null;
  return {
    protocol: 'sony',
    address: leastFirst(bits, commandBits, count - commandBits),
    command: leastFirst(bits, 0, commandBits),
    variant: count,
  };
}

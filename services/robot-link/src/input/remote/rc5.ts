/**
 * Philips' RC5: 14 bits of two halves of 889 us, most significant first; a 1 is a space and a mark, a 0 the reverse. Two start bits (the second is
 * the inverted seventh bit of the command), a toggle bit that changes with each press, 5 bits of address, 6 of command; every 114 ms while held.
 */
import { agrees, levelsOf, mostFirst, phaseUnits } from './lengths.js';
import type { RemoteCode } from './remote-code.js';

const unitUs = 889;
const bitCount = 14;
const halves = 2 * bitCount;

export function decodeRc5(frame: readonly number[]): RemoteCode | null {
  if (frame.length < bitCount - 1 || frame.length >= halves) return null;
  const total = frame.reduce((sum, us) => sum + us, 0);
  // The first half of the first bit, a 1, and the second half of the last bit, if that is a 0, are silence.
  const units = phaseUnits(frame, total / (halves - 1.5), 2);
  if (!agrees(frame, units, unitUs)) return null;
  const levels = `0${levelsOf(units)}`.padEnd(halves, '0');
  if (levels.length !== halves || !/^(01|10)+$/.test(levels)) return null;
  const bits = Array.from({ length: bitCount }, (_, bit) => (levels[2 * bit] === '0' ? 1 : 0));
  return { protocol: 'rc5', address: mostFirst(bits, 3, 5), command: (bits[1] === 0 ? 64 : 0) + mostFirst(bits, 8, 6), variant: bits[2]! };
}

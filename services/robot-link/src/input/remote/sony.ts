/**
 * Sony's SIRC of 12, 15 or 20 bits: 2.4 ms mark, then for each bit a space of 0.6 ms and a mark of 1.2 ms (1) or 0.6 ms (0). Least significant first:
 * 7 of the command, 5 or 8 of the address; with 20 bits, 8 more extend an address of 5. Every 45 ms, at least three times.
 */
import { around, endsAt, within, type Range } from './lengths.js';

/** Not shorter, because RC5 begins with marks of up to 1.78 ms, which receivers stretch as well. */
const head: Range = [2085, around(2400)[1]];
const space: Range = [300, 900];
const bitMark: Range = [350, 1750];
/** Between 0.6 and 1.2 ms, both of which receivers stretch. */
const oneFrom = 950;
const commandBits = 7;

export function decodeSony(raw: readonly number[]): { address: number; command: number } | null {
  const bits = [12, 15, 20].find((count) => raw.length >= 1 + 2 * count && endsAt(raw, 1 + 2 * count));
  if (bits === undefined || !within(raw[0], head)) return null;
  let word = 0;
  for (let bit = 0; bit < bits; bit += 1) {
    const mark = raw[2 + 2 * bit];
    if (!within(raw[1 + 2 * bit], space) || !within(mark, bitMark)) return null;
    if (mark >= oneFrom) word |= 1 << bit;
  }
  return { address: word >>> commandBits, command: word & 0x7f };
}

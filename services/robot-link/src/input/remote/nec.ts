/**
 * NEC: 9 ms mark, 4.5 ms space, 32 bits (least significant first) of a 562.5 us mark and a space of 562.5 us (0) or 1687.5 us (1), a last mark.
 * Address, its inverse or the extended address' upper byte, command, its inverse. While held, every 108 ms: 9 ms mark, 2.25 ms space, a mark.
 */

import { endsAt, within } from './lengths.js';

export interface NecCode {
  /** 0..255, or 256..65535 for an extended address. */
  address: number;
  command: number;
}

/** Receivers stretch marks and shorten spaces by up to 200 us, more at their range's edge, and remotes have cheap clocks: 30 % tolerance, us. */
const headMark = [6300, 11_700] as const;
const headSpace = [3150, 5850] as const;
const repeatSpace = [1575, 2925] as const;
const bitMark = [200, 1150] as const;
const bitSpace = [150, 2700] as const;
const oneFrom = 974;
const bits = 32;
const frameLength = 2 + 2 * bits + 1;

/** @param raw marks and spaces in microseconds, a mark first @returns `repeat` for a button that is held; null if it is not NEC */
export function decodeNec(raw: readonly number[]): NecCode | 'repeat' | null {
  if (!within(raw[0], headMark)) return null;
  if (within(raw[1], repeatSpace)) return within(raw[2], bitMark) && endsAt(raw, 3) ? 'repeat' : null;
  if (!within(raw[1], headSpace) || !within(raw[frameLength - 1], bitMark) || !endsAt(raw, frameLength)) return null;
  let word = 0;
  for (let bit = 0; bit < bits; bit += 1) {
    const space = raw[3 + 2 * bit];
    if (!within(raw[2 + 2 * bit], bitMark) || !within(space, bitSpace)) return null;
    if (space >= oneFrom) word |= 1 << bit;
  }
  const [low, high, command, inverse] = [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24];
  if ((command ^ inverse) !== 0xff) return null;
  return { address: (low ^ high) === 0xff ? low : (high << 8) | low, command };
}

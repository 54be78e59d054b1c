/** Samsung (32 bits): 4.5 ms mark, 4.5 ms space, then bits as in NEC: the address twice, the command and its inverse. All again every 108 ms. */
import { around, endsAt, within, type Range } from './lengths.js';

const head = around(4500);
const bitMark: Range = [200, 1150];
const bitSpace: Range = [150, 2700];
/** The boundary between a 0 and a 1: the geometric mean of 562.5 and 1687.5 us. */
const oneFrom = 974;
const bits = 32;
const frameLength = 2 + 2 * bits + 1;

export function decodeSamsung(raw: readonly number[]): { address: number; command: number } | null {
  if (!within(raw[0], head) || !within(raw[1], head) || !within(raw[frameLength - 1], bitMark) || !endsAt(raw, frameLength)) return null;
  let word = 0;
  for (let bit = 0; bit < bits; bit += 1) {
    const space = raw[3 + 2 * bit];
    if (!within(raw[2 + 2 * bit], bitMark) || !within(space, bitSpace)) return null;
    if (space >= oneFrom) word |= 1 << bit;
  }
  const [address, again, command, inverse] = [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24];
  return address === again && (command ^ inverse) === 0xff ? { address, command } : null;
}

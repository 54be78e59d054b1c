/**
 * Kaseikyo (Panasonic, Denon, Mitsubishi, Sharp, JVC): a mark of 8 and a space of 4 units of 432 us, 48 bits as in NEC, least significant first: 16 of
 * the vendor, 4 of its parity, 12 of the address, 8 of the command, 8 of parity.
 */
import { leastFirst, spaceBits, tolerance, type BitForm } from './lengths.js';
import type { RemoteCode } from './remote-code.js';

const form: BitForm = { unitUs: 432, head: [8, 4], zero: 1, one: 3, bits: 48 };

/** The address has the vendor in front: 16 bits, then 12. */
export function decodeKaseikyo(frame: readonly number[]): RemoteCode | null {
  const bits = spaceBits(frame, form, tolerance.checked);
  if (bits === null) return null;
  const parity = [0, 4, 8, 12].reduce((value, from) => value ^ leastFirst(bits, from, 4), 0);
  const [first, second, third] = [16, 24, 32].map((from) => leastFirst(bits, from, 8)) as [number, number, number];
  if (parity !== leastFirst(bits, 16, 4) || (first ^ second ^ third) !== leastFirst(bits, 40, 8)) return null;
  return { protocol: 'kaseikyo', address: leastFirst(bits, 0, 16) * 0x1000 + leastFirst(bits, 20, 12), command: third };
}

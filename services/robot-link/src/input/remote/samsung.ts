/** Samsung (32 bits): 4.5 ms mark, 4.5 ms space, then bits as in NEC: the address twice, the command and its inverse. All again every 108 ms. */
import { leastFirst, spaceBits, tolerance, type BitForm } from './lengths.js';
import type { RemoteCode } from './remote-code.js';

const form: BitForm = { unitUs: 562.5, head: [8, 8], zero: 1, one: 3, bits: 32 };

export function decodeSamsung(frame: readonly number[]): RemoteCode | null {
  const bits = spaceBits(frame, form, tolerance.checked);
  if (bits === null) return null;
  const [address, again, command, inverse] = [0, 8, 16, 24].map((from) => leastFirst(bits, from, 8)) as [number, number, number, number];
  return address === again && (command ^ inverse) === 0xff ? { protocol: 'samsung', address, command } : null;
}

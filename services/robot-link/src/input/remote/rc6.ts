/**
 * Philips' RC6: a mark of 6 and a space of 2 units of 444 us, then bits of two halves, most significant first; a 1 is a mark and a space, a 0 the
 * reverse. A start bit (1), 3 bits of the mode, a toggle bit of double width. Mode 0: 8 bits of address, 8 of command. Mode 6 with 32 bits (Media
 * Center): 16 of the customer, a toggle bit, 7 of address, 8 of command.
 */
import { agrees, levelsOf, mostFirst, phaseUnits } from './lengths.js';
import type { RemoteCode } from './remote-code.js';

const unitUs = 444;
const head = [6, 2] as const;
/** Start bit, mode and trailer, in units. */
const trailerAt = 8;
const dataAt = 12;

export function decodeRc6(frame: readonly number[]): RemoteCode | null {
  if (frame.length < 12) return null;
  const units = [...head, ...phaseUnits(frame.slice(2), (frame[0]! + frame[1]!) / (head[0] + head[1]), 3)];
  if (!agrees(frame, units, unitUs)) return null;
  let levels = levelsOf(units.slice(2));
  // The space of a last bit that is 1 is silence.
  if (levels.length % 2 === 1) levels += '0';
  const lead = bitsOf(levels.slice(0, trailerAt));
  const trailer = { '1100': 1, '0011': 0 }[levels.slice(trailerAt, dataAt)];
  const data = bitsOf(levels.slice(dataAt));
  if (lead === null || data === null || trailer === undefined || lead[0] !== 1) return null;
  const mode = mostFirst(lead, 1, 3);
  if (mode === 0 && data.length === 16) return { protocol: 'rc6', address: mostFirst(data, 0, 8), command: mostFirst(data, 8, 8), variant: trailer };
  if (mode !== 6 || data.length !== 32) return null;
  const address = mostFirst(data, 0, 16) * 0x100 + mostFirst(data, 17, 7);
  return { protocol: 'rc6', address, command: mostFirst(data, 24, 8), variant: 2 * trailer + data[16]! };
}

function bitsOf(levels: string): number[] | null {
  const pairs = levels.match(/../g) ?? [];
  return pairs.every((pair) => pair === '10' || pair === '01') ? pairs.map((pair) => (pair === '10' ? 1 : 0)) : null;
}

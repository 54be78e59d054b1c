/**
 * Philips' RC5: 14 bits of two halves of 889 us, most significant first; a 1 is a space and a mark, a 0 the reverse. Two start bits (the second is
 * the inverted seventh bit of the command), a toggle bit that changes with each press, 5 bits of address, 6 of command; every 114 ms while held.
 */
import { endsAt } from './lengths.js';

const halfUs = { least: 500, double: 1334, most: 2130 };
const halves = 28;

export function decodeRc5(raw: readonly number[]): { address: number; command: number; toggle: number } | null {
  // The first bit is a 1, and its space is silence before the capture.
  let levels = '0';
  let at = 0;
  for (; at < raw.length && levels.length < halves; at += 1) {
    const us = raw[at]!;
    const level = at % 2 === 0 ? '1' : '0';
    if (level === '0' && endsAt(raw, at)) break;
    if (us < halfUs.least || us > halfUs.most) return null;
    levels += us >= halfUs.double ? level + level : level;
  }
  if (!endsAt(raw, at)) return null;
  // If the last bit is a 0, its space is silence after the frame.
  if (levels.length === halves - 1 && levels.endsWith('1')) levels += '0';
  if (levels.length !== halves) return null;
  let word = 0;
  for (let half = 0; half < halves; half += 2) {
    const bit = levels.slice(half, half + 2);
    if (bit !== '01' && bit !== '10') return null;
    word = (word << 1) | (bit === '01' ? 1 : 0);
  }
  const seventh = ((word >>> 12) & 1) === 0 ? 0x40 : 0;
  return { address: (word >>> 6) & 0x1f, command: seventh | (word & 0x3f), toggle: (word >>> 11) & 1 };
}

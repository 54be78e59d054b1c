/**
 * Marks and spaces of infrared remotes. Receivers stretch marks and shorten spaces by up to half a unit, or the reverse, and remotes have cheap clocks:
 * a frame is compared with its own unit and its own stretch, not with a protocol's nominal lengths.
 */

/** Space that separates a frame from what follows in the same capture, us; longer than any space inside a frame of the protocols known by name. */
const gapFromUs = 6000;
/**
 * Maximum difference between each length and what the unit and the stretch of its frame make it; `checked` for a code that carries a check of its own
 * (an inverse, a parity): remotes and receivers were recorded with single lengths 35 % off.
 */
export const tolerance = { plain: 0.25, checked: 0.4 };
/** Maximum difference between the unit of a frame and the protocol's: remotes with an RC oscillator were recorded 32 % off. */
const unitTolerance = 1 / 3;
/** Maximum stretch of the marks in units, where spaces carry the bits, and where marks do: a stretched mark could be one of two units. */
const stretchMax = { spaces: 0.5, marks: 0.3 };

/** Returns the lengths up to the first gap, without a space at their end. A single mark before a gap is a flash of light, and left out. */
export function firstFrame(raw: readonly number[], gapFrom = gapFromUs): readonly number[] {
  let from = 0;
  while (raw.length > from + 2 && raw[from + 1]! >= gapFrom) from += 2;
  const gapAt = raw.findIndex((us, index) => index > from && index % 2 === 1 && us >= gapFrom);
  const end = gapAt < 0 ? raw.length : gapAt;
  return raw.slice(from, end % 2 === 0 ? end - 1 : end);
}

/**
 * Estimates unit and stretch of a frame (weighted least squares) and returns whether all lengths agree with them.
 * @param units length of each mark and space in units @param unitUs the protocol's unit
 */
export function agrees(
  frame: readonly number[],
  units: readonly number[],
  unitUs: number,
  stretchUnits = stretchMax.marks,
  off = tolerance.plain,
): boolean {
  if (frame.length !== units.length) return false;
  // length = units * unit + stretch for a mark, - stretch for a space; the error of a length counts relative to it.
  let signs = 0;
  let squares = 0;
  let sum = 0;
  let signed = 0;
  for (const [index, count] of units.entries()) {
    const sign = index % 2 === 0 ? 1 : -1;
    const us = frame[index]!;
    signs += sign / count;
    squares += 1 / (count * count);
    sum += us / count;
    signed += (sign * us) / (count * count);
  }
  const determinant = units.length * squares - signs * signs;
  const unit = (sum * squares - signed * signs) / determinant;
  const stretch = (signed * units.length - sum * signs) / determinant;
  if (!(Math.abs(unit - unitUs) <= unitTolerance * unitUs) || Math.abs(stretch) > stretchUnits * unit) return false;
  return units.every((count, index) => {
    const expected = count * unit;
    return Math.abs(frame[index]! - (index % 2 === 0 ? stretch : -stretch) - expected) <= off * expected;
  });
}

export interface BitForm {
  unitUs: number;
  /** Mark and space before the first bit, in units. Absent: the frame begins with a bit. */
  head?: readonly [mark: number, space: number];
  /** Space of each bit after a mark of one unit, in units. */
  zero: number;
  one: number;
  bits: number;
}

/** Reads bits that are spaces of two lengths, with a mark of one unit before each and after the last. @returns null if the frame does not agree */
export function spaceBits(frame: readonly number[], { unitUs, head, zero, one, bits }: BitForm, off = tolerance.plain): number[] | null {
  const from = head === undefined ? 0 : 2;
  if (frame.length !== from + 2 * bits + 1) return null;
  // The last mark only ends the last space; Onkyo's remotes make it half as long again, and receivers shorten it by up to half a unit.
  const last = frame.at(-1)! / unitUs;
  if (last < 1 - off - stretchMax.spaces || last > 2) return null;
  const roughs = head === undefined ? [unitUs] : [(frame[0]! + frame[1]!) / (head[0] + head[1]), unitUs];
  for (const roughUs of roughs) {
    // A mark and its space together have the same length however far the receiver stretches marks.
    const oneFrom = roughUs * Math.sqrt((1 + zero) * (1 + one));
    const found = Array.from({ length: bits }, (_, bit) => (frame[from + 2 * bit]! + frame[from + 2 * bit + 1]! >= oneFrom ? 1 : 0));
    const units = [...(head ?? []), ...found.flatMap((bit) => [1, bit === 1 ? one : zero])];
    if (agrees(frame.slice(0, -1), units, unitUs, stretchMax.spaces, off)) return found;
  }
  return null;
}

/**
 * Returns how many units each length of a frame in two-phase code has, 1 to `most`; the frame still has to be compared with them.
 * @param unitUs the frame's unit, roughly
 */
export function phaseUnits(frame: readonly number[], unitUs: number, most: number): number[] {
  const shortest = (from: 0 | 1): number => Math.min(...frame.filter((_, index) => index % 2 === from));
  const stretch = Math.max(-stretchMax.marks * unitUs, Math.min(stretchMax.marks * unitUs, (shortest(0) - shortest(1)) / 2));
  return frame.map((us, index) => Math.max(1, Math.min(most, Math.round((us - (index % 2 === 0 ? stretch : -stretch)) / unitUs))));
}

/** Returns a frame's levels, one for each unit: 1 for a mark, 0 for a space. */
export function levelsOf(units: readonly number[]): string {
  return units.map((count, index) => (index % 2 === 0 ? '1' : '0').repeat(count)).join('');
}

export function leastFirst(bits: readonly number[], from: number, count: number): number {
  return bits.slice(from, from + count).reduceRight((value, bit) => value * 2 + bit, 0);
}

export function mostFirst(bits: readonly number[], from: number, count: number): number {
  return bits.slice(from, from + count).reduce((value, bit) => value * 2 + bit, 0);
}

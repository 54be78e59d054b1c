/**
 * Code of a button whose protocol has no name here: programs bind to it, so it never changes. docs/infrared.md describes it for others,
 * and test/infrared-codes.test.ts pins it.
 */
import { firstFrame } from './lengths.js';

/** The longest space inside a recorded frame (Bang & Olufsen) has 15.4 ms. */
const gapFromUs = 16_000;
/** Lengths that differ by less than this share of the middle mark are the same; receivers are not more exact than `exactUs`. */
const sameShare = 0.35;
const exactUs = 60;
const classMax = 15;
const fnv = { offset: 0xcbf29ce484222325n, prime: 0x100000001b3n };

export function codeFrame(raw: readonly number[]): readonly number[] {
  return firstFrame(raw, gapFromUs);
}

export function codeOf(frame: readonly number[]): string {
  const marks = frame.filter((_, index) => index % 2 === 0).toSorted((a, b) => a - b);
  const spaces = frame.filter((_, index) => index % 2 === 1).toSorted((a, b) => a - b);
  const differsFrom = Math.max(exactUs, sameShare * marks[Math.floor((marks.length - 1) / 2)]!);
  const limits = [marks, spaces].map((lengths) => lengths.filter((us, index) => index > 0 && us - lengths[index - 1]! >= differsFrom));
  const classes = frame.map((us, index) => Math.min(classMax, limits[index % 2]!.filter((from) => us >= from).length));
  let hash = fnv.offset;
  for (const each of classes) hash = BigInt.asUintN(64, (hash ^ BigInt(each.toString(16).charCodeAt(0))) * fnv.prime);
  return hash.toString(16).padStart(16, '0');
}

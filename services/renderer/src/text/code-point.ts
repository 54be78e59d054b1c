/** Draws a character that no shipped font has: its code point in a box, two rows of digits. */
import type { SKRSContext2D } from 'canvas';
import { faceOf, register } from './faces.js';

const digitEms = 0.27;
const marginEms = 0.09;
/** Top of the box above the baseline. */
const topEms = 0.8;
const fontEms = 0.42;
/** Baseline of the first row, below the top of the box; distance to the second. */
const rowEms = 0.43;
const rowStepEms = 0.44;
const zero = 0x30;

export function codePointEms(character: string): number {
  return columnsOf(character) * digitEms + 4 * marginEms;
}

export function drawCodePoint(
  context: SKRSContext2D,
  character: string,
  { x, baseline, size, color }: { x: number; baseline: number; size: number; color: string },
): void {
  const face = faceOf('sans', zero);
  if (face === undefined) throw new Error('Noto Sans is not installed');
  register(face);
  const digits = digitsOf(character);
  const columns = columnsOf(character);
  const margin = marginEms * size;
  const [left, top, w, h] = [x + margin, baseline - topEms * size, codePointEms(character) * size - 2 * margin, size];
  context.save();
  context.strokeStyle = color;
  context.lineWidth = Math.max(1, size / 18);
  context.strokeRect(left, top, w, h);
  context.fillStyle = color;
  context.direction = 'ltr';
  context.textAlign = 'center';
  context.font = `700 ${fontEms * size}px "${face.family}"`;
  [digits.slice(0, columns), digits.slice(columns)].forEach((row, r) => {
    [...row].forEach((digit, i) => context.fillText(digit, left + margin + (i + 0.5) * digitEms * size, top + (rowEms + rowStepEms * r) * size));
  });
  context.restore();
}

function digitsOf(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return digits.padStart(digits.length > 4 ? 6 : 4, '0');
}

function columnsOf(character: string): number {
  return digitsOf(character).length / 2;
}

/** Measures and draws runs of text, each in one font. */
import { createCanvas, type SKRSContext2D } from 'canvas';
import { register, faceOf } from './faces.js';
import { glyphRuns, type FontChoice, type GlyphRun } from './glyph-runs.js';
import { drawSpaceSign, spaceSignEms } from './signs.js';
import { spriteEms, spriteOf } from './sprites.js';
import type { Direction, Stretch } from './visual-order.js';

/** Font size at which widths are measured once, to be scaled. */
const measuredAt = 64;

export interface Part {
  run: GlyphRun;
  direction: Direction;
  ems: number;
}

export interface Ink {
  color: string;
  weight: 400 | 700;
}

/** Measured widths in ems by font and text; the words of robots' screens repeat. Emptied when it is full. */
const widths = new Map<string, number>();
const widthsMax = 20_000;
const ruler = createCanvas(1, 1).getContext('2d');
ruler.lang = 'en';
let rulerFont = '';

/** Returns the parts of a line from left to right. @param onMissing called with each character that no font has */
export function partsOf(stretches: readonly Stretch[], weight: Ink['weight'], fonts: FontChoice, onMissing?: (character: string) => void): Part[] {
  return stretches.flatMap(({ text, direction }) => {
    // Spaces at the edges of a run from right to left would be drawn outside of it.
    const words = direction === 'rtl' ? (text.match(/\s+|\S+(?:\s+\S+)*/gu) ?? []) : [text];
    const all = words.flatMap((word) => glyphRuns(word, fonts, onMissing)).map((run) => ({ run, direction, ems: runEms(run, weight) }));
    return direction === 'rtl' ? all.toReversed() : all;
  });
}

export function runEms(run: GlyphRun, weight: Ink['weight']): number {
  if (run.kind === 'sprite') return spriteEms;
  if (run.kind === 'space') return spaceSignEms(run.text);
  if (run.kind === 'missing') return codePointEms(run.text);
  const font = `${weight} ${measuredAt}px "${run.face.family}"`;
  const key = `${font} ${run.text}`;
  let ems = widths.get(key);
  if (ems !== undefined) return ems;
  register(run.face);
  if (font !== rulerFont) ruler.font = rulerFont = font;
  ems = ruler.measureText(run.text).width / measuredAt;
  if (widths.size >= widthsMax) widths.clear();
  widths.set(key, ems);
  return ems;
}

export function drawRun(
  context: SKRSContext2D,
  { color, weight }: Ink,
  run: GlyphRun,
  { x, baseline, size, direction }: { x: number; baseline: number; size: number; direction: Direction },
): void {
  context.fillStyle = color;
  if (run.kind === 'sprite') return context.drawImage(spriteOf(run.text), x + 0.06 * size, baseline - 0.93 * size, 1.125 * size, 1.125 * size);
  if (run.kind === 'space') return drawSpaceSign(context, run.text, { x, baseline, size });
  if (run.kind === 'missing') return drawCodePoint(context, run.text, { x, baseline, size, color });
  register(run.face);
  // The default follows the language of the host.
  context.lang = 'en';
  context.direction = direction;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.font = `${weight} ${size}px "${run.face.family}"`;
  context.fillText(run.text, x, baseline);
}

// Draws a character that no shipped font has: its code point in a box, two rows of digits.

const digitEms = 0.27;
const marginEms = 0.09;
/** Top of the box above the baseline. */
const topEms = 0.8;
const fontEms = 0.42;
/** Baseline of the first row, below the top of the box; distance to the second. */
const rowEms = 0.43;
const rowStepEms = 0.44;
const zero = 0x30;

function codePointEms(character: string): number {
  return columnsOf(character) * digitEms + 4 * marginEms;
}

function drawCodePoint(
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

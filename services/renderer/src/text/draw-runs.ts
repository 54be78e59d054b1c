/** Measures and draws runs of text, each in one font. */
import { createCanvas, type SKRSContext2D } from 'canvas';
import { codePointEms, drawCodePoint } from './code-point.js';
import { register } from './faces.js';
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

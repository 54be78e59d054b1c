/**
 * Signs of exact texts: for white space, for the beginning of each line of the text, and for a line that ends within a word. Nothing else on a question
 * has their colour, but for emoji, which are larger.
 */
import { theme, whiteSpaceSigns, type TextBox } from '@perch/screen';
import type { SKRSContext2D } from 'canvas';
import { directionOf } from './visual-order.js';

/** Part of a column of signs inside of the text's box; the other part is in the margin around the box, px. */
const columnInside = 6;
const columnOutside = 4;
/** Half the width of a sign, px. */
const half = 4;

/** Returns the part of a box that its signs leave to the text. */
export function besideSigns(box: TextBox): TextBox {
  const hasLines = box.text.includes('\n');
  const isRightToLeft = directionOf(box.text) === 'rtl';
  const left = hasLines || isRightToLeft ? columnInside : 0;
  const right = hasLines || !isRightToLeft ? columnInside : 0;
  return { ...box, x: box.x + left, w: box.w - left - right, align: 'start' };
}

interface SignedLine {
  direction: 'ltr' | 'rtl';
  /** Left end and width of its text, px. */
  x: number;
  w: number;
  baseline: number;
}

/** Marks the beginning of a line of the text, beside the box, where no text is drawn. */
export function drawLineStart(context: SKRSContext2D, box: TextBox, line: SignedLine, size: number): void {
  const isLeft = line.direction === 'ltr';
  beginSign(context, isLeft ? box.x + half - columnOutside : box.x + box.w - half + columnOutside, line, size);
  context.moveTo(-3, -5);
  context.lineTo(3, 0);
  context.lineTo(-3, 5);
  context.closePath();
  context.fill();
  context.restore();
}

/** Draws an arrow down to the next line behind the end of this one. */
export function drawWithinWord(context: SKRSContext2D, line: SignedLine, size: number): void {
  beginSign(context, line.direction === 'ltr' ? line.x + line.w + 2 + half : line.x - 2 - half, line, size);
  context.moveTo(-3.5, -5);
  context.lineTo(-2, -5);
  context.arcTo(1, -5, 1, -1.5, 3);
  context.lineTo(1, 6);
  context.moveTo(-2, 3);
  context.lineTo(1, 6);
  context.lineTo(4, 3);
  context.stroke();
  context.restore();
}

/** Begins the drawing of a sign of a line from left to right, which is mirrored for the other direction. */
function beginSign(context: SKRSContext2D, x: number, { direction, baseline }: SignedLine, size: number): void {
  context.save();
  context.translate(x, Math.round(baseline - 0.36 * size));
  if (direction === 'rtl') context.scale(-1, 1);
  context.fillStyle = context.strokeStyle = theme.sign;
  context.lineWidth = 2;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.beginPath();
}

interface SpaceSign {
  ems: number;
  /** Radius, ems; absent: an arrow. */
  ring?: number;
  filled?: true;
}

const spaceSigns = new Map<string, SpaceSign>([
  [whiteSpaceSigns.space, { ems: 0.36, ring: 0.08, filled: true }],
  [whiteSpaceSigns.tab, { ems: 1 }],
  [whiteSpaceSigns.noBreakSpace, { ems: 0.36, ring: 0.1 }],
  [whiteSpaceSigns.narrowNoBreakSpace, { ems: 0.26, ring: 0.07 }],
  [whiteSpaceSigns.ideographicSpace, { ems: 1, ring: 0.2 }],
]);

export function isSpaceSign(cluster: string): boolean {
  return spaceSigns.has(cluster);
}

export function spaceSignEms(sign: string): number {
  return spaceSigns.get(sign)?.ems ?? 0;
}

export function drawSpaceSign(context: SKRSContext2D, sign: string, { x, baseline, size }: { x: number; baseline: number; size: number }): void {
  const { ems, ring, filled } = spaceSigns.get(sign)!;
  const y = baseline - 0.28 * size;
  const right = x + (ems - 0.12) * size;
  context.save();
  context.filter = 'none';
  context.fillStyle = context.strokeStyle = theme.sign;
  context.lineWidth = Math.max(1, size / 16);
  context.beginPath();
  if (ring === undefined) {
    context.moveTo(x + 0.12 * size, y);
    context.lineTo(right, y);
    context.moveTo(right - 0.18 * size, y - 0.16 * size);
    context.lineTo(right, y);
    context.lineTo(right - 0.18 * size, y + 0.16 * size);
  } else context.arc(x + (ems / 2) * size, y, ring * size, 0, 2 * Math.PI);
  if (filled) context.fill();
  else context.stroke();
  context.restore();
}

import { graphemes, type TextBox } from '@perch/screen';
import type { SKRSContext2D } from 'canvas';
import type { DrawnNotes } from '../drawn-notes.js';
import { drawRun, partsOf, runEms } from './draw-runs.js';
import { fitPage, fitText, onePage, pageMarkHeight, type FittedPage } from './fit-text.js';
import { glyphRuns, hanOrder, type FontChoice } from './glyph-runs.js';
import { besideSigns, drawLineStart, drawWithinWord } from './signs.js';
import { loadSprites } from './sprites.js';
import { directionOf, visualLines, type Direction } from './visual-order.js';

/** Pixels a text may extend beyond its box: accents may rise above a box of one line, but stacked marks must not cover the screen. */
const overhang = 3;

interface SetText extends FittedPage {
  box: TextBox;
  fonts: FontChoice;
}

/** Minimum size to which a text is reduced to match its group. */
const groupMin = 20;

/**
 * Draws texts in their boxes; the texts of a group get the same size. Never draws more than 3 px outside a box, whatever the text.
 * @param notes receives the names of texts that were cut, and the characters of the drawn texts that no font has
 */
export async function drawTexts(context: SKRSContext2D, boxes: readonly TextBox[], notes: DrawnNotes): Promise<void> {
  for (const box of boxes) await loadSprites(box.text);
  const own = boxes.map((box) => setText(box));
  for (const text of own) {
    const alike = own.filter((other) => other.box.group !== undefined && other.box.group === text.box.group);
    const shared = Math.max(groupMin, Math.min(...alike.map((other) => other.fitted.size)));
    drawText(context, shared < text.fitted.size ? setText({ ...text.box, sizeMax: shared }) : text, notes);
  }
}

function setText(box: TextBox): SetText {
  const fonts = { han: hanOrder(box.text, box.lang), mono: box.mono === true };
  const measure = (text: string): number => glyphRuns(text, fonts).reduce((sum, run) => sum + runEms(run, box.weight), 0);
  if (box.page === undefined) return { box, fonts, ...onePage(fitText(box, measure)) };
  return { box, fonts, ...fitPage(box, box.page, measure) };
}

function drawText(context: SKRSContext2D, { box, fonts, fitted, all, from, count }: SetText, notes: DrawnNotes): void {
  if (fitted.cut) notes.addTruncated(box.name);
  if (count > 1) {
    notes.page = { count, ms: readingMs(fitted.lines), ...(box.exact && { exact: true }) };
    const page = Math.min(box.page ?? 0, count - 1) + 1;
    drawPageMark(context, box, pageMark(box.pageTurn, page, count), notes);
  }
  const inner = fitted.signs ? besideSigns(box) : box;
  const beside = fitted.signs ? 0 : overhang;
  const paragraphs = box.text.split('\n');
  const ordered = paragraphs.flatMap((text, i) =>
    visualLines(
      text,
      all.filter(({ paragraph }) => paragraph === i).map((line) => line.text),
    ),
  );
  const drawn = ordered.map((stretches) => partsOf(stretches, box.weight, fonts, (character) => notes.addMissing(character)));
  const lines = fitted.lines.map((line, i) => {
    const direction = directionOf(paragraphs[line.paragraph] ?? '');
    const parts = drawn[from + i] ?? [];
    const w = parts.reduce((sum, { ems }) => sum + ems, 0) * fitted.size * fitted.squeeze;
    const x = inner.x + (inner.w - w) * freeShareAtLeft(inner.align, direction);
    return { parts, direction, x, w, baseline: line.baseline };
  });
  if (fitted.signs)
    lines.forEach((line, i) => {
      const { paragraph, withinWord } = fitted.lines[i]!;
      if (paragraphs.length > 1 && all[from + i - 1]?.paragraph !== paragraph) drawLineStart(context, box, line, fitted.size);
      if (withinWord === true) drawWithinWord(context, line, fitted.size);
    });
  context.save();
  if (box.grey === true) context.filter = 'grayscale(1)';
  context.beginPath();
  context.rect(inner.x - beside, box.y - overhang, inner.w + 2 * beside, box.h + 2 * overhang);
  context.clip();
  if (box.plate !== undefined) drawPlate(context, box, box.plate, lines, fitted.size);
  for (const { parts, x, baseline } of lines) {
    let left = 0;
    context.save();
    context.translate(x, 0);
    context.scale(fitted.squeeze, 1);
    for (const { run, direction, ems } of parts) {
      drawRun(context, box, run, { x: left, baseline, size: fitted.size, direction });
      left += ems * fitted.size;
    }
    context.restore();
  }
  context.restore();
}

/** Returns the share of a line's free space that is at its left. */
function freeShareAtLeft(align: TextBox['align'], direction: Direction): number {
  if (align === 'center') return 0.5;
  return align === 'right' || (align === 'start' && direction === 'rtl') ? 1 : 0;
}

/** After the last page the first one comes: nobody needs to turn it. */
export function pageMark(turn: TextBox['pageTurn'], page: number, count: number): string {
  if (turn === 'words') return `page ${page} of ${count}${page < count ? ' · tap here for the next' : ''}`;
  return `${page}/${count}${turn === 'arrow' && page < count ? ' →' : ''}`;
}

function drawPageMark(context: SKRSContext2D, { page: _page, name: _name, ...box }: TextBox, text: string, notes: DrawnNotes): void {
  const strip = { y: box.y + box.h - pageMarkHeight, h: pageMarkHeight };
  drawText(context, setText({ ...box, ...strip, text, sizeMax: 16, sizeMin: 16, linesMax: 1, weight: 400, align: 'center' }), notes);
}

/** Returns how long a page shows, ms: 15 characters a second. */
function readingMs(lines: readonly { text: string }[]): number {
  const clusters = lines.reduce((sum, { text }) => sum + graphemes(text).length, 0);
  return Math.round(Math.min(12_000, Math.max(3_000, (clusters / 15) * 1000)));
}

function drawPlate(
  context: SKRSContext2D,
  box: TextBox,
  color: string,
  lines: readonly { x: number; w: number; baseline: number }[],
  size: number,
): void {
  const left = Math.max(box.x - overhang, Math.min(...lines.map(({ x }) => x)) - 0.3 * size);
  const right = Math.min(box.x + box.w + overhang, Math.max(...lines.map(({ x, w }) => x + w)) + 0.3 * size);
  const top = Math.max(box.y, (lines[0]?.baseline ?? 0) - size);
  const bottom = Math.min(box.y + box.h, (lines.at(-1)?.baseline ?? 0) + 0.36 * size);
  context.fillStyle = color;
  context.beginPath();
  context.roundRect(left, top, right - left, bottom - top, Math.min(8, 0.2 * size));
  context.fill();
}

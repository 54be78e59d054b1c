/** Draws Markdown in its box: in the largest size at which all of it fits without breaking a word; at the smallest, its end is cut. */
import type { MarkdownBox } from '@perch/screen';
import type { SKRSContext2D } from 'canvas';
import type { DrawnNotes } from '../drawn-notes.js';
import { drawRun } from '../text/draw-runs.js';
import { isTall } from '../text/fit-text.js';
import { hanOrder } from '../text/glyph-runs.js';
import { loadSprites } from '../text/sprites.js';
import { blocksOf, loadMarkdown, type Block } from './blocks.js';
import { endBeforeEllipsis, layoutBlocks, type Cell, type Layout, type Row, type Space } from './rows.js';
import { partsOfLine, Ruler } from './styled-text.js';

/** Ems of a row above its baseline. */
const ascent = { plain: 0.9, tall: 1.04 };
const lineEms = { plain: 1.25, tall: 1.42 };
const ruleWidth = 1.5;

export async function drawMarkdown(context: SKRSContext2D, box: MarkdownBox, notes: DrawnNotes): Promise<void> {
  await loadMarkdown();
  await loadSprites(box.text);
  const blocks = blocksOf(box.text);
  const tall = isTall(box.text);
  const ruler = new Ruler({ han: hanOrder(box.text, box.lang) });
  const at = (size: number): Space => ({ w: box.w, size, lineEms: tall ? lineEms.tall : lineEms.plain, align: box.align, ruler });
  const size = largestSize(box, blocks, at);
  const layout = layoutBlocks(blocks, at(size));
  const rows = rowsWithin(box, layout, at(size));
  if (rows.length < layout.rows.length || layout.isCut) notes.addTruncated(box.name);

  context.save();
  context.beginPath();
  context.rect(box.x - 3, box.y - 3, box.w + 6, box.h + 6);
  context.clip();
  let y = box.y + (box.h - heightOf(rows)) / 2;
  for (const [i, row] of rows.entries()) {
    y += row.above;
    if (row.isCode) drawShade(context, box, y, row, rows[i - 1], rows[i + 1], size);
    if (row.hasRule && i < rows.length - 1) drawRule(context, box, y + row.h - ruleWidth);
    const baseline = Math.round(y + (tall ? ascent.tall : ascent.plain) * size);
    for (const cell of row.cells) drawCell(context, box, cell, { baseline, size, ruler }, notes);
    y += row.h;
  }
  context.restore();
}

/** Returns the largest size at which all fits and no word is broken; else the largest at which all fits; else the smallest. */
function largestSize(box: MarkdownBox, blocks: readonly Block[], at: (size: number) => Space): number {
  let whole: number | null = null;
  for (let size = box.sizeMax; size >= box.sizeMin; size--) {
    const layout = layoutBlocks(blocks, at(size));
    if (heightOf(layout.rows) > box.h) continue;
    if (!layout.isTight) return size;
    whole ??= layout.isCut ? null : size;
  }
  return whole ?? box.sizeMin;
}

function heightOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { above, h }) => sum + above + h, 0);
}

function rowsWithin(box: MarkdownBox, { rows }: Layout, space: Space): Row[] {
  let count = rows.length;
  while (count > 1 && heightOf(rows.slice(0, count)) > box.h) count--;
  const kept = rows.slice(0, count);
  const last = kept.at(-1);
  if (count === rows.length || last === undefined) return kept;
  const cell = last.cells.at(-1);
  if (cell === undefined) return kept;
  const to = endBeforeEllipsis(cell.text, cell.from, cell.to, cell.w, space);
  return [...kept.slice(0, -1), { ...last, hasRule: false, cells: [...last.cells.slice(0, -1), { ...cell, to, suffix: '…' }] }];
}

function drawShade(
  context: SKRSContext2D,
  box: MarkdownBox,
  y: number,
  row: Row,
  before: Row | undefined,
  after: Row | undefined,
  size: number,
): void {
  const starts = before?.isCode !== true || row.above > 0;
  const ends = after?.isCode !== true || after.above > 0;
  const radius = Math.min(8, size / 4);
  context.fillStyle = box.shade;
  context.beginPath();
  context.roundRect(box.x, y, box.w, row.h + (ends ? 0 : 1), [starts ? radius : 0, starts ? radius : 0, ends ? radius : 0, ends ? radius : 0]);
  context.fill();
}

function drawRule(context: SKRSContext2D, box: MarkdownBox, y: number): void {
  context.fillStyle = box.shade;
  context.fillRect(box.x, Math.round(y), box.w, ruleWidth);
}

function drawCell(
  context: SKRSContext2D,
  box: MarkdownBox,
  { x, w, text, from, to, suffix, align }: Cell,
  { baseline, size, ruler }: { baseline: number; size: number; ruler: Ruler },
  notes: DrawnNotes,
): void {
  const all = partsOfLine(text, { from, to, suffix }, ruler.fonts, (character) => notes.addMissing(character));
  const width = all.reduce((sum, { ems }) => sum + ems, 0) * size;
  let left = box.x + x + (w - width) * shareAtLeft(align, text.direction);
  for (const part of all) {
    drawRun(context, { color: box.color, weight: part.weight }, part.run, { x: left, baseline, size, direction: part.direction });
    left += part.ems * size;
  }
}

function shareAtLeft(align: Cell['align'], direction: string): number {
  if (align === 'center') return 0.5;
  return align === 'right' || (align === 'start' && direction === 'rtl') ? 1 : 0;
}

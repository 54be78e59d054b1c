/** Lays out blocks at a font size, as rows below each other. Uses widths only. */
import { graphemes } from '@perch/screen';
import { evenLines, type Measured } from '../text/even-lines.js';
import { parts, type Piece } from '../text/line-breaks.js';
import type { Block, CellAlign, CodeBlock, Span, TableBlock, TextBlock } from './blocks.js';
import { styledText, type Ruler, type StyledText } from './styled-text.js';

export interface Cell {
  /** From the left edge of the box, px. */
  x: number;
  w: number;
  text: StyledText;
  /** The range of the text that the cell shows, and what follows it: a hyphen or an ellipsis. */
  from: number;
  to: number;
  suffix: string;
  align: CellAlign;
}

export interface Row {
  /** Free space above it, px. */
  above: number;
  h: number;
  cells: Cell[];
  isCode: boolean;
  hasRule: boolean;
}

export interface Layout {
  rows: Row[];
  /** Whether a word is broken or a cell cut. */
  isTight: boolean;
  isCut: boolean;
}

export interface Space {
  w: number;
  size: number;
  /** Distance of baselines, ems. */
  lineEms: number;
  align: CellAlign;
  ruler: Ruler;
}

/** In ems. */
const blockGap = 0.45;
const itemGap = 0.12;
const indentWidth = 1.1;
const codePad = 0.35;
const cellGap = 0.7;
const rowGap = 0.18;

export function layoutBlocks(blocks: readonly Block[], space: Space): Layout {
  const layout: Layout = { rows: [], isTight: false, isCut: false };
  blocks.forEach((block, i) => {
    const above = i === 0 ? 0 : gapBetween(blocks[i - 1], block) * space.size;
    if (block.kind === 'text') addText(block, above, space, layout);
    else if (block.kind === 'code') addCode(block, above, space, layout);
    else addTable(block, above, space, layout);
  });
  return layout;
}

function gapBetween(before: Block | undefined, block: Block): number {
  if (block.kind !== 'text' || before?.kind !== 'text') return blockGap;
  if (block.continues) return 0;
  return block.indent > 0 && before.indent > 0 ? itemGap : blockGap;
}

function addText({ spans, indent, marker }: TextBlock, above: number, space: Space, layout: Layout): void {
  const text = styledText(spans);
  const inset = indent * indentWidth * space.size;
  const isRtl = text.direction === 'rtl';
  const area = { x: isRtl ? 0 : inset, w: space.w - inset };
  const { lines, isBroken } = linesOf(text, area.w / space.size, space.ruler);
  layout.isTight ||= isBroken;
  lines.forEach((line, i) => {
    const cells: Cell[] = [{ ...area, text, ...line, align: indent > 0 ? 'start' : space.align }];
    if (marker !== undefined && i === 0) cells.unshift(markerCell(marker, inset, isRtl, space));
    layout.rows.push(row(cells, i === 0 ? above : 0, space));
  });
}

function markerCell(marker: string, inset: number, isRtl: boolean, { w, size, ruler }: Space): Cell {
  const text = styledText([{ text: marker, bold: false, code: false }]);
  const gap = 0.3 * size;
  const width = Math.max(ruler.ems(text, 0, marker.length) * size, indentWidth * size - gap);
  const x = isRtl ? w - inset + gap : Math.max(0, inset - gap - width);
  return { x, w: width, text, from: 0, to: marker.length, suffix: '', align: isRtl ? 'left' : 'right' };
}

function addCode({ lines }: CodeBlock, above: number, space: Space, layout: Layout): void {
  const pad = codePad * space.size;
  const ems = (space.w - 2 * pad) / space.size;
  lines.forEach((line, i) => {
    const text = styledText([{ text: line, bold: false, code: true }]);
    const broken = space.ruler.ems(text, 0, line.length) > ems;
    layout.isTight ||= broken;
    const ranges = broken ? clusterLines(text, ems, space.ruler) : [{ from: 0, to: line.length }];
    ranges.forEach((range, j) => {
      const cell: Cell = { x: pad, w: space.w - 2 * pad, text, ...range, suffix: '', align: 'left' };
      layout.rows.push({ ...row([cell], i === 0 && j === 0 ? above : 0, space), isCode: true });
    });
  });
}

function clusterLines(text: StyledText, ems: number, ruler: Ruler): { from: number; to: number }[] {
  const lines: { from: number; to: number }[] = [];
  let from = 0;
  let to = 0;
  for (const cluster of graphemes(text.text)) {
    if (to > from && ruler.ems(text, from, to + cluster.length) > ems) {
      lines.push({ from, to });
      from = to;
    }
    to += cluster.length;
  }
  return [...lines, { from, to }];
}

function addTable({ rows, aligns, cut }: TableBlock, above: number, space: Space, layout: Layout): void {
  const texts = rows.map((cells) => cells.map((spans: readonly Span[]) => styledText(spans)));
  const gap = cellGap * space.size;
  const count = Math.min(aligns.length, columnsThatFit(space));
  const natural = Array.from({ length: count }, (_, column) => Math.max(...texts.map((cells) => widthOf(cells[column], space)), space.size));
  const widths = shared(natural, space.w - gap * (count - 1));
  layout.isCut ||= cut || count < aligns.length;
  texts.forEach((cells, i) => {
    let x = 0;
    const drawn = widths.map((w, column): Cell => {
      const text = cells[column] ?? styledText([]);
      const fits = widthOf(text, space) <= w + 0.5;
      if (!fits) layout.isTight = layout.isCut = true;
      const cell: Cell = { x, w, text, ...(fits ? whole(text) : cutTo(text, w, space)), align: aligns[column] ?? 'start' };
      x += w + gap;
      return cell;
    });
    const { h, ...rest } = row(drawn, i === 0 ? above : 0, space);
    layout.rows.push({ ...rest, h: h + rowGap * space.size, hasRule: i < texts.length - 1 });
  });
}

/** A column holds at least two letters and an ellipsis. */
function columnsThatFit({ w, size }: Space): number {
  return Math.max(1, Math.floor((w / size + cellGap) / (2 + cellGap)));
}

function widthOf(text: StyledText | undefined, { size, ruler }: Space): number {
  return text === undefined ? 0 : ruler.ems(text, 0, text.text.length) * size;
}

/** Divides a width: columns narrower than an equal part keep their width, the others share the rest. */
function shared(natural: readonly number[], width: number): number[] {
  const narrowFirst = natural.map((w, i) => ({ w, i })).toSorted((a, b) => a.w - b.w);
  const widths: number[] = [];
  let free = width;
  narrowFirst.forEach(({ w, i }, done) => {
    widths[i] = Math.min(w, free / (natural.length - done));
    free -= widths[i] ?? 0;
  });
  return widths;
}

function whole({ text }: StyledText): Pick<Cell, 'from' | 'to' | 'suffix'> {
  return { from: 0, to: text.length, suffix: '' };
}

function cutTo(text: StyledText, w: number, space: Space): Pick<Cell, 'from' | 'to' | 'suffix'> {
  return { from: 0, to: endBeforeEllipsis(text, 0, text.text.length, w, space), suffix: '…' };
}

/** Returns where a range must end so that it fits with an ellipsis. */
export function endBeforeEllipsis(text: StyledText, from: number, to: number, w: number, { size, ruler }: Space): number {
  const ellipsis = ruler.ems(styledText([{ text: '…', bold: true, code: false }]), 0, 1);
  const ends = [from];
  for (const cluster of graphemes(text.text.slice(from, to).trimEnd())) ends.push((ends.at(-1) ?? from) + cluster.length);
  let fitting = 0;
  for (let most = ends.length - 1; fitting < most;) {
    const middle = Math.ceil((fitting + most) / 2);
    if ((ruler.ems(text, from, ends[middle] ?? from) + ellipsis) * size <= w) fitting = middle;
    else most = middle - 1;
  }
  return from + text.text.slice(from, ends[fitting]).trimEnd().length;
}

function row(cells: Cell[], above: number, { size, lineEms }: Space): Row {
  return { above, h: lineEms * size, cells, isCode: false, hasRule: false };
}

interface TextPiece extends Measured {
  from: number;
}

function linesOf(text: StyledText, widthEms: number, ruler: Ruler): { lines: Pick<Cell, 'from' | 'to' | 'suffix'>[]; isBroken: boolean } {
  const all = measured(text, ruler.pieces(text.text), 0, ruler);
  const isBroken = all.some(({ endEms }) => endEms > widthEms);
  const fitting = isBroken ? all.flatMap((piece) => withinWidth(text, piece, widthEms, ruler)) : all;
  const broken = evenLines(fitting, widthEms);
  const lines = broken.map((line, i) => {
    const [first, last] = [line[0], line.at(-1)];
    const from = first?.from ?? 0;
    const end = (last?.from ?? 0) + (last?.text.length ?? 0);
    const to = from + text.text.slice(from, end).trimEnd().length;
    return { from, to, suffix: last?.hyphen === true && i < broken.length - 1 ? '-' : '' };
  });
  return { lines, isBroken };
}

function withinWidth(text: StyledText, piece: TextPiece, widthEms: number, ruler: Ruler): TextPiece[] {
  if (piece.endEms <= widthEms) return [piece];
  return measured(text, parts(piece, false), piece.from, ruler).flatMap((part) => {
    if (part.endEms <= widthEms) return [part];
    const clusters = graphemes(part.text).map((cluster): Piece => ({ text: cluster, hyphen: false }));
    return measured(text, clusters, part.from, ruler);
  });
}

function measured(text: StyledText, all: readonly Piece[], start: number, ruler: Ruler): TextPiece[] {
  let from = start;
  return all.map((piece) => {
    const at = from;
    from += piece.text.length;
    const hyphen = piece.hyphen ? 0.4 : 0;
    return {
      ...piece,
      from: at,
      ems: ruler.ems(text, at, from),
      endEms: ruler.ems(text, at, at + piece.text.trimEnd().length) + hyphen,
    };
  });
}

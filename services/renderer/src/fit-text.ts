/**
 * Fits a text into its box: the largest font size at which it fits without breaking a word, in lines of even length. If it does not fit at the
 * smallest size, it is cut between grapheme clusters and gets an ellipsis. Uses widths only, so any measuring function works.
 */
import { graphemes, isEmoji, withEllipsis, type TextBox } from '@perch/screen';

/** Returns the width of a text in units of the font size. */
export type Measure = (text: string) => number;

export interface FittedText {
  size: number;
  lines: FittedLine[];
  cut: boolean;
}

export interface FittedLine {
  text: string;
  baseline: number;
}

/** A piece of text that is never broken. */
interface Piece {
  text: string;
  ems: number;
  /** Width without trailing space. */
  inkEms: number;
  /** A line must end after it. */
  hard: boolean;
}

interface Broken {
  lines: string[];
  overflow: boolean;
}

interface Spacing {
  /** From the top of the block to its first baseline, between baselines, and below the last, in ems. */
  above: number;
  line: number;
  below: number;
}

const plain: Spacing = { above: 0.82, line: 1.2, below: 0.26 };
/** For scripts with marks above and below, and for emoji, which are taller than letters. */
const tall: Spacing = { above: 0.98, line: 1.38, below: 0.34 };
const tallScripts = /[\u0590-\u08ff\u0900-\u0e7f\u1100-\u11ff\u1e00-\u1eff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** Font size, px, down to which no word is broken. Below it, words are broken if this enlarges the text by `worthBreaking`. */
const wholeWordsMin = 15;
const worthBreaking = 1.5;
/** Margin for measured and drawn widths that differ by hinting, and by kerning between pieces. */
const widthMargin = 1.015;

export function fitText(box: TextBox, measure: Measure): FittedText {
  const spacing = tallScripts.test(box.text) || graphemes(box.text).some(isEmoji) ? tall : plain;
  const measured = memoized(measure);
  const words = pieces(box.text, measured);
  const whole = largestSize(box, spacing, (size) => breakLines(words, box.w / size));
  if (whole !== null && whole >= wholeWordsMin) return place(box, evenLines(words, box.w / whole), whole, spacing, false);

  const breakAnywhere = (size: number): Broken => breakLines(withinWidth(words, box.w / size, measured), box.w / size);
  const broken = largestSize(box, spacing, breakAnywhere);
  if (whole !== null && whole * worthBreaking >= (broken ?? 0)) return place(box, evenLines(words, box.w / whole), whole, spacing, false);
  if (broken !== null) return place(box, breakAnywhere(broken).lines, broken, spacing, false);
  return place(box, cutLines(box, breakAnywhere(box.sizeMin).lines, spacing, measured), box.sizeMin, spacing, true);
}

/** Returns the largest integer size within the box's bounds at which everything fits, or null. */
function largestSize(box: TextBox, spacing: Spacing, breakAt: (size: number) => Broken): number | null {
  let low = Math.ceil(box.sizeMin);
  let high = Math.floor(box.sizeMax);
  let best: number | null = null;
  while (low <= high) {
    const size = (low + high) >> 1;
    const { lines, overflow } = breakAt(size);
    if (!overflow && lines.length <= linesThatFit(box, size, spacing)) {
      best = size;
      low = size + 1;
    } else high = size - 1;
  }
  return best;
}

function linesThatFit(box: TextBox, size: number, spacing: Spacing): number {
  const room = box.h / size - spacing.above - spacing.below;
  return room < 0 ? 0 : Math.min(box.linesMax, 1 + Math.floor(room / spacing.line + 1e-9));
}

/** Breaks greedily: each line takes as many pieces as fit. */
function breakLines(all: Piece[], widthEms: number): Broken {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  let overflow = false;
  for (const piece of all) {
    if (line !== '' && (width + piece.inkEms) * widthMargin > widthEms) {
      lines.push(line.trimEnd());
      line = '';
      width = 0;
    }
    if (piece.inkEms * widthMargin > widthEms) overflow = true;
    line += piece.text;
    width += piece.ems;
    if (piece.hard) {
      lines.push(line.trimEnd());
      line = '';
      width = 0;
    }
  }
  if (line !== '') lines.push(line.trimEnd());
  return { lines, overflow };
}

/** Returns the narrowest lines that are not more than the full width gives, so that the last line is not a single word. */
function evenLines(all: Piece[], widthEms: number): string[] {
  const count = breakLines(all, widthEms).lines.length;
  let low = 0;
  let high = widthEms;
  for (let i = 0; i < 8; i++) {
    const middle = (low + high) / 2;
    const { lines, overflow } = breakLines(all, middle);
    if (!overflow && lines.length <= count) high = middle;
    else low = middle;
  }
  return breakLines(all, high).lines;
}

/** Returns the lines that fit into the box at its smallest size, the last one cut; at least one line, even if the box is lower. */
function cutLines(box: TextBox, lines: string[], spacing: Spacing, measure: Measure): string[] {
  const kept = lines.slice(0, Math.max(1, linesThatFit(box, box.sizeMin, spacing)));
  const last = graphemes(kept.pop() ?? '');
  while (last.length > 0 && measure(withEllipsis(last)) * widthMargin > box.w / box.sizeMin) last.pop();
  return [...kept, withEllipsis(last)];
}

function place(box: TextBox, lines: string[], size: number, spacing: Spacing, cut: boolean): FittedText {
  const height = (spacing.above + spacing.below + spacing.line * (lines.length - 1)) * size;
  const free = box.h - height;
  const top = box.y + (box.valign === 'top' ? 0 : box.valign === 'bottom' ? free : free / 2);
  return { size, cut, lines: lines.map((text, i) => ({ text, baseline: Math.round(top + (spacing.above + spacing.line * i) * size) })) };
}

function pieces(text: string, measure: Measure): Piece[] {
  const paragraphs = text.split('\n');
  return paragraphs.flatMap((paragraph, i) => {
    const parts = words(paragraph);
    if (parts.length === 0) parts.push('');
    return parts.map((part, k) => piece(part, k === parts.length - 1 && i < paragraphs.length - 1, measure));
  });
}

/** Splits pieces that are wider than a line into grapheme clusters. */
function withinWidth(all: Piece[], widthEms: number, measure: Measure): Piece[] {
  return all.flatMap((whole) => {
    if (whole.inkEms * widthMargin <= widthEms) return [whole];
    const clusters = graphemes(whole.text);
    return clusters.map((cluster, i) => piece(cluster, whole.hard && i === clusters.length - 1, measure));
  });
}

function piece(text: string, hard: boolean, measure: Measure): Piece {
  return { text, ems: measure(text), inkEms: measure(text.trimEnd()), hard };
}

function memoized(measure: Measure): Measure {
  const widths = new Map<string, number>([['', 0]]);
  return (text) => {
    let width = widths.get(text);
    if (width === undefined) widths.set(text, (width = measure(text)));
    return width;
  };
}

const spaceless =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]/u;
/** Characters that must not begin a line, and those that must not end one. */
const noStart = /^[\p{Pe}\p{Pf}\p{Po}ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;
const noEnd = /[\p{Ps}\p{Pi}]$/u;

const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Splits after spaces and hyphens, and between words in a script without spaces. */
function words(paragraph: string): string[] {
  const found = paragraph.match(/[^\s-]+-+(?=\S)|\S*\s+|\S+/gu) ?? [];
  return found.flatMap((word) => (spaceless.test(word) ? unspaced(word) : [word]));
}

function unspaced(text: string): string[] {
  const out: string[] = [];
  for (const { segment } of wordSegmenter.segment(text)) {
    const previous = out.at(-1);
    if (previous !== undefined && (noStart.test(segment) || /^\s/.test(segment) || noEnd.test(previous))) out[out.length - 1] = previous + segment;
    else out.push(segment);
  }
  return out;
}

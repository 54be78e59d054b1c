/**
 * Fits a text into its box: the largest font size at which it fits without breaking a word, in lines of even length. If it does not fit at the
 * smallest size, words are broken, and then it is cut between grapheme clusters and gets an ellipsis. Uses widths only, so any measuring function works.
 *
 * The lines of an exact text tell what was sent: one that goes on with its paragraph ends at a single space, or within a word, which a sign says; where a
 * paragraph begins after another one, a sign says so.
 */
import { graphemes, isEmoji, withEllipsis, type TextBox } from '@perch/screen';
import { limits } from '@perch/schema/plain';
import { evenLines, type Measured } from './even-lines.js';
import { pieces, words, parts } from './line-breaks.js';
import { besideSigns } from './signs.js';

export interface FittedText {
  size: number;
  /** Factor of the width, below 1 where a word is drawn narrower rather than broken. */
  squeeze: number;
  lines: FittedLine[];
  cut: boolean;
  /** Lines have signs, for which there are columns beside them. */
  signs: boolean;
}

export interface FittedLine {
  text: string;
  baseline: number;
  paragraph: number;
  /** The line of an exact text ends within a word. */
  withinWord?: true;
}

interface Line {
  pieces: Measured[];
  paragraph: number;
}

interface Broken {
  lines: Line[];
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
const tallScripts =
  /[\u0590-\u08ff\u0900-\u109f\u1100-\u137f\u1780-\u17ff\u1e00-\u1eff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** Least factor by which a word that is wider than its box is narrowed rather than broken. */
const squeezeMin = 0.82;
/** Margin for measured and drawn widths that differ by hinting, and by kerning between pieces. */
const widthMargin = 1.015;

export function isTall(text: string): boolean {
  return tallScripts.test(text) || graphemes(text).some(isEmoji);
}

export function fitText(whole: TextBox, measure: Measure): FittedText {
  const spacing = isTall(whole.text) ? tall : plain;
  const measured = memoized(measure);
  const paragraphs = measuredParagraphs(whole, measured);
  const isExact = whole.exact === true;
  const unbroken = fitUnbroken(isExact && paragraphs.length > 1 ? besideSigns(whole) : whole, paragraphs, spacing);
  if (unbroken !== null) return { ...unbroken, signs: isExact && paragraphs.length > 1 };
  const box = isExact ? besideSigns(whole) : whole;
  const breakAnywhere = (at: number): Broken => breakWords(box, paragraphs, at, measured);
  // A larger size must not break words more often than the smallest.
  const hyphensMax = hyphensIn(breakAnywhere(Math.ceil(box.sizeMin)).lines);
  const broken = largestSize(box, spacing, (at) => {
    const { lines, overflow } = breakAnywhere(at);
    return { lines, overflow: overflow || hyphensIn(lines) > hyphensMax };
  });
  const fitted =
    broken === null
      ? place(box, cutLines(box, breakAnywhere(box.sizeMin).lines, spacing, measured), box.sizeMin, spacing, true)
      : place(box, texts(box, breakAnywhere(broken).lines), broken, spacing, false);
  return { ...fitted, signs: isExact };
}

function measuredParagraphs({ text, exact }: TextBox, measure: Measure): Measured[][] {
  const split = exact === true ? words : pieces;
  return text.split('\n').map((paragraph) => split(paragraph).map((piece) => measuredPiece(piece.text, piece.hyphen, measure)));
}

/** Breaks also words that are wider than a line. */
function breakWords(box: TextBox, paragraphs: readonly Measured[][], size: number, measure: Measure): Broken {
  const width = lineWidth(box, size);
  return breakLines((box.exact === true ? exactWithinWidth : withinWidth)(paragraphs, width, measure), width);
}

/** Returns the text at the largest size at which no word is broken, or null. */
function fitUnbroken(box: TextBox, paragraphs: readonly Measured[][], spacing: Spacing): FittedText | null {
  const size = largestSize(box, spacing, (at) => breakLines(paragraphs, lineWidth(box, at)));
  if (size !== null) {
    const count = breakLines(paragraphs, lineWidth(box, size)).lines.length;
    return place(box, texts(box, evened(paragraphs, lineWidth(box, size), Math.min(count, linesThatFit(box, size, spacing)))), size, spacing, false);
  }
  return squeezedText(box, paragraphs, spacing);
}

export interface FittedPage {
  /** `cut`: the text is longer than all pages together, whichever page this is. */
  fitted: FittedText;
  /** Lines of all pages; those of this one begin at `from`. */
  all: FittedWords[];
  from: number;
  count: number;
}

/** Space below the lines of a page for its mark, px. */
export const pageMarkHeight = 20;
/** Maximum font size of a text on several pages, px: a larger one would only add pages. */
const pageSizeMax = 30;

/** Fits one page of a text: in as few pages as at its smallest size, at the largest size that takes no more. Text beyond `pagesMax` is cut. */
export function fitPage(text: TextBox, page: number, measure: Measure): FittedPage {
  const alone = fitText(text, measure);
  if (!alone.cut) return onePage(alone);
  const spacing = isTall(text.text) ? tall : plain;
  const measured = memoized(measure);
  const paragraphs = measuredParagraphs(text, measured);
  const isExact = text.exact === true;
  let size = Math.ceil(text.sizeMin);
  const signs = isExact && (paragraphs.length > 1 || breakLines(paragraphs, lineWidth(text, size)).overflow);
  const box = { ...(signs ? besideSigns(text) : text), h: text.h - pageMarkHeight };
  const linesAt = (at: number): Broken =>
    isExact && !signs ? breakLines(paragraphs, lineWidth(box, at)) : breakWords(box, paragraphs, at, measured);
  const pagesOf = (lines: readonly Line[], at: number): Line[][] => intoPages(lines, Math.max(1, linesThatFit(box, at, spacing)), isExact);
  const smallest = linesAt(size);
  let pages = pagesOf(smallest.lines, size);
  const { pagesMax } = limits.show;
  const isCut = pages.length > pagesMax || (isExact && smallest.overflow);
  const largest = isCut ? size : Math.min(pageSizeMax, box.sizeMax);
  for (let larger = size + 1; larger <= largest; larger++) {
    const { lines, overflow } = linesAt(larger);
    const found = pagesOf(lines, larger);
    if (found.length > pages.length || (isExact && (overflow || hyphensIn(lines) > hyphensIn(smallest.lines)))) break;
    size = larger;
    pages = found;
  }
  const count = Math.min(pages.length, pagesMax);
  const at = Math.min(page, count - 1);
  const before = (index: number): number => pages.slice(0, index).flat().length;
  const all = texts(box, pages.flat());
  if (isCut) all.splice(before(count - 1), Infinity, ...cutLines({ ...box, sizeMin: size }, pages.slice(count - 1).flat(), spacing, measured));
  const from = before(at);
  const fitted = place(box, all.slice(from, from + pages[at]!.length), size, spacing, isCut);
  return { fitted: { ...fitted, signs }, all, from, count };
}

export function onePage(fitted: FittedText): FittedPage {
  return { fitted, all: fitted.lines, from: 0, count: 1 };
}

/** Distributes lines. @param keepsEmpty whether also pages after the first may begin with an empty line */
function intoPages(lines: readonly Line[], linesMax: number, keepsEmpty: boolean): Line[][] {
  const pages: Line[][] = [];
  let page: Line[] = [];
  for (const line of lines) {
    if (page.length === linesMax) {
      pages.push(page);
      page = [];
    }
    if (keepsEmpty || page.length > 0 || line.pieces.length > 0) page.push(line);
  }
  return page.length === 0 ? pages : [...pages, page];
}

/** Returns the text at its smallest size with narrower letters, if that keeps its widest word whole. */
function squeezedText(box: TextBox, paragraphs: readonly Measured[][], spacing: Spacing): FittedText | null {
  const size = Math.ceil(box.sizeMin);
  const width = lineWidth(box, size);
  if (!paragraphs.some((all) => all.some(({ endEms }) => endEms > width))) return null;
  const { lines, overflow } = breakLines(paragraphs, width / squeezeMin);
  if (overflow || lines.length > linesThatFit(box, size, spacing)) return null;
  const widest = Math.max(
    ...lines.map((line) => line.pieces.reduce((sum, { ems }, i) => sum + (i === line.pieces.length - 1 ? (line.pieces[i]?.endEms ?? 0) : ems), 0)),
  );
  return { ...place(box, texts(box, lines), size, spacing, false), squeeze: Math.min(1, width / widest) };
}

function hyphensIn(lines: readonly Line[]): number {
  return lines.filter(({ pieces: all, paragraph }, i) => all.at(-1)?.hyphen === true && lines[i + 1]?.paragraph === paragraph).length;
}

/** Ems, less the margin. */
function lineWidth(box: TextBox, size: number): number {
  return box.w / size / widthMargin;
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

function breakLines(paragraphs: readonly Measured[][], widthEms: number): Broken {
  const lines: Line[] = [];
  let overflow = false;
  paragraphs.forEach((all, paragraph) => {
    let line: Line = { pieces: [], paragraph };
    let width = 0;
    lines.push(line);
    for (const piece of all) {
      if (line.pieces.length > 0 && width + piece.endEms > widthEms) {
        lines.push((line = { pieces: [], paragraph }));
        width = 0;
      }
      if (piece.endEms > widthEms) overflow = true;
      line.pieces.push(piece);
      width += piece.ems;
    }
  });
  return { lines, overflow };
}

function evened(paragraphs: readonly Measured[][], widthEms: number, count: number): Line[] {
  const lines = paragraphs.flatMap((all, paragraph) => evenLines(all, widthEms).map((line): Line => ({ pieces: line, paragraph })));
  return lines.length <= count ? lines : breakLines(paragraphs, widthEms).lines;
}

/** Returns the lines that fit into the box at its smallest size, the last one cut; at least one line, even if the box is lower. */
function cutLines(box: TextBox, lines: Line[], spacing: Spacing, measure: Measure): FittedWords[] {
  const kept = lines.slice(0, Math.max(1, linesThatFit(box, box.sizeMin, spacing)));
  const last = kept.pop() ?? { pieces: [], paragraph: 0 };
  const clusters = graphemes(last.pieces.map(({ text }) => text).join(''));
  while (clusters.length > 0 && measure(withEllipsis(clusters)) > lineWidth(box, box.sizeMin)) clusters.pop();
  return [...texts(box, kept, last.paragraph), { text: withEllipsis(clusters), paragraph: last.paragraph }];
}

type FittedWords = Omit<FittedLine, 'baseline'>;

/** @param next paragraph of the line that follows them */
function texts({ exact }: TextBox, lines: readonly Line[], next?: number): FittedWords[] {
  return lines.map(({ pieces: all, paragraph }, i) => {
    const continues = (i + 1 < lines.length ? lines[i + 1]?.paragraph : next) === paragraph;
    const sent = all.map(({ text }) => text).join('');
    const text = sent.trimEnd();
    if (exact === true) return { text, paragraph, ...(continues && text === sent ? { withinWord: true } : {}) };
    return { text: text + (continues && all.at(-1)?.hyphen ? '-' : ''), paragraph };
  });
}

function place(box: TextBox, lines: FittedWords[], size: number, spacing: Spacing, cut: boolean): FittedText {
  const height = (spacing.above + spacing.below + spacing.line * (lines.length - 1)) * size;
  const free = box.h - height;
  const top = box.y + (box.valign === 'top' ? 0 : box.valign === 'bottom' ? free : free / 2);
  return {
    size,
    squeeze: 1,
    cut,
    signs: false,
    lines: lines.map((line, i) => ({ ...line, baseline: Math.round(top + (spacing.above + spacing.line * i) * size) })),
  };
}

/** Returns the width of a text in units of the font size. */
type Measure = (text: string) => number;

function withinWidth(paragraphs: readonly Measured[][], widthEms: number, measure: Measure): Measured[][] {
  return paragraphs.map((all) =>
    all.flatMap((whole) =>
      whole.endEms <= widthEms
        ? [whole]
        : parts(whole, false).flatMap((part) => lettersIfWide(measuredPiece(part.text, part.hyphen, measure), widthEms, measure)),
    ),
  );
}

/** As `withinWidth`, for the words of an exact text: without hyphens. */
function exactWithinWidth(paragraphs: readonly Measured[][], widthEms: number, measure: Measure): Measured[][] {
  const narrow = (all: readonly Measured[], split: (wide: Measured) => Measured[]): Measured[] =>
    all.flatMap((each) => (each.endEms <= widthEms ? [each] : split(each)));
  return paragraphs.map((all) =>
    narrow(
      narrow(all, (word) => piecesOf(word, measure)),
      ({ text }) => graphemes(text).map((cluster) => ({ ...measuredPiece(cluster, false, measure), hyphen: true })),
    ),
  );
}

/** The same words are broken at each size that is tried. */
const brokenWords = new WeakMap<Measured, Measured[]>();

function piecesOf(word: Measured, measure: Measure): Measured[] {
  let all = brokenWords.get(word);
  if (all === undefined) brokenWords.set(word, (all = pieces(word.text).map(({ text }) => measuredPiece(text, false, measure))));
  return all;
}

/** A syllable, or a word without one, may be wider than a narrow line. */
function lettersIfWide(part: Measured, widthEms: number, measure: Measure): Measured[] {
  if (part.endEms <= widthEms) return [part];
  return parts(part, true).flatMap((letters) => clustersIfWide(measuredPiece(letters.text, letters.hyphen, measure), widthEms, measure));
}

/** Two letters may be wider than a very narrow line. */
function clustersIfWide(part: Measured, widthEms: number, measure: Measure): Measured[] {
  if (part.endEms <= widthEms) return [part];
  return graphemes(part.text).map((cluster) => measuredPiece(cluster, false, measure));
}

function measuredPiece(text: string, hyphen: boolean, measure: Measure): Measured {
  return { text, hyphen, ems: measure(text), endEms: measure(text.trimEnd()) + (hyphen ? measure('-') : 0) };
}

function memoized(measure: Measure): Measure {
  const widths = new Map<string, number>([['', 0]]);
  return (text) => {
    let width = widths.get(text);
    if (width === undefined) widths.set(text, (width = measure(text)));
    return width;
  };
}

/** A paragraph with parts in several styles: its text, and the style of each of its characters. */
import { partsOf, runEms, type Part } from '../text/draw-runs.js';
import { glyphRuns, type FontChoice } from '../text/glyph-runs.js';
import { pieces, type Piece } from '../text/line-breaks.js';
import { directionOf, visualLines, type Direction } from '../text/visual-order.js';
import type { Span } from './blocks.js';

export type Style = 'plain' | 'bold' | 'code' | 'bold code';

export interface StyledText {
  text: string;
  /** Style by UTF-16 index. */
  styles: Style[];
  direction: Direction;
}

export interface StyledPart extends Part {
  weight: 400 | 700;
}

export function styledText(spans: readonly Span[]): StyledText {
  const text = spans.map((span) => span.text).join('');
  const styles = spans.flatMap(({ text: { length }, bold, code }) =>
    Array.from({ length }, (): Style => (bold ? (code ? 'bold code' : 'bold') : code ? 'code' : 'plain')),
  );
  return { text, styles, direction: directionOf(text) };
}

/** Measures the texts of one card, and keeps what it measured: a layout is tried in up to 21 font sizes. */
export class Ruler {
  readonly fonts: FontChoice;
  readonly #ems = new Map<string, number>();
  readonly #pieces = new Map<string, Piece[]>();

  constructor(fonts: FontChoice) {
    this.fonts = fonts;
  }

  /** Returns the width of a range on one line, in ems. */
  ems({ text, styles }: StyledText, from: number, to: number): number {
    let ems = 0;
    for (let start = from; start < to;) {
      let end = start + 1;
      while (end < to && styles[end] === styles[start]) end++;
      ems += this.#emsOf(text.slice(start, end), styles[start]);
      start = end;
    }
    return ems;
  }

  pieces(paragraph: string): Piece[] {
    let found = this.#pieces.get(paragraph);
    if (found === undefined) this.#pieces.set(paragraph, (found = pieces(paragraph)));
    return found;
  }

  #emsOf(text: string, style: Style | undefined): number {
    const key = `${style} ${text}`;
    let ems = this.#ems.get(key);
    if (ems === undefined) {
      const { weight, mono } = drawnAs(style);
      ems = glyphRuns(text, { ...this.fonts, mono }).reduce((sum, run) => sum + runEms(run, weight), 0);
      this.#ems.set(key, ems);
    }
    return ems;
  }
}

/** From left to right. @param suffix such as a hyphen, in the style of the range's end @param onMissing called with characters that no font has */
export function partsOfLine(
  { text, styles }: StyledText,
  { from, to, suffix }: { from: number; to: number; suffix: string },
  fonts: FontChoice,
  onMissing?: (character: string) => void,
): StyledPart[] {
  const [stretches = []] = visualLines(text, [text.slice(from, to) + suffix], { styles, from });
  return stretches.flatMap((stretch) => {
    const { weight, mono } = drawnAs(stretch.style as Style | undefined);
    return partsOf([stretch], weight, { ...fonts, mono }, onMissing).map((part) => ({ ...part, weight }));
  });
}

/** Code is drawn bold: the regular weight of the monospace font is too thin at 20 px. */
function drawnAs(style: Style | undefined): { weight: 400 | 700; mono: boolean } {
  return { weight: style === 'plain' || style === undefined ? 400 : 700, mono: style === 'code' || style === 'bold code' };
}

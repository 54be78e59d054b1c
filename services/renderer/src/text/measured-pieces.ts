import { graphemes } from '@perch/screen';
import type { Measured } from './even-lines.js';
import { parts, pieces } from './line-breaks.js';

/** Returns the width of a text in units of the font size. */
export type Measure = (text: string) => number;

export function withinWidth(paragraphs: readonly Measured[][], widthEms: number, measure: Measure): Measured[][] {
  return paragraphs.map((all) =>
    all.flatMap((whole) =>
      whole.endEms <= widthEms
        ? [whole]
        : parts(whole, false).flatMap((part) => lettersIfWide(measuredPiece(part.text, part.hyphen, measure), widthEms, measure)),
    ),
  );
}

/** As `withinWidth`, for the words of an exact text: without hyphens. */
export function exactWithinWidth(paragraphs: readonly Measured[][], widthEms: number, measure: Measure): Measured[][] {
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

export function measuredPiece(text: string, hyphen: boolean, measure: Measure): Measured {
  return { text, hyphen, ems: measure(text), endEms: measure(text.trimEnd()) + (hyphen ? measure('-') : 0) };
}

export function memoized(measure: Measure): Measure {
  const widths = new Map<string, number>([['', 0]]);
  return (text) => {
    let width = widths.get(text);
    if (width === undefined) widths.set(text, (width = measure(text)));
    return width;
  };
}

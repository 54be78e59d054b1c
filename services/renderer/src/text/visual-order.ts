/** Brings the parts of a line into the order in which they stand on the screen, by the Unicode bidirectional algorithm (UAX #9). */
import { createRequire } from 'node:module';
import type bidiJs from 'bidi-js';

const require = createRequire(import.meta.url);
let loaded: ReturnType<typeof bidiJs.default> | undefined;

/** Loads the library when a text first needs it: loading takes a tenth of the start of a render process. */
function bidi(): ReturnType<typeof bidiJs.default> {
  // The package exports the function itself; its types are those of an ES module.
  return (loaded ??= (require('bidi-js') as typeof bidiJs.default)());
}

export type Direction = 'ltr' | 'rtl';

/** Part of a line whose characters have one direction. They are in reading order, not in visual order. */
export interface Stretch {
  text: string;
  direction: Direction;
  /** Style of all its characters, where styles were given. */
  style?: string;
}

/** Characters that change directions, or any letter that is written from right to left. */
const mayTurn = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const controls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the direction of a paragraph, which is the direction of the first letter that has one. */
export function directionOf(paragraph: string): Direction {
  if (!mayTurn.test(paragraph)) return 'ltr';
  return (bidi().getEmbeddingLevels(paragraph).paragraphs[0]?.level ?? 0) % 2 === 1 ? 'rtl' : 'ltr';
}

/**
 * Returns the stretches of each line of a paragraph from left to right, without the characters that only control directions. Directions follow from the
 * whole paragraph: brackets and numbers at the start of a line have that of the words before them.
 * @param lines text of the paragraph in its order, which may lack spaces and soft hyphens, end with a hyphen, and be cut
 * @param styled the style of each UTF-16 index of the paragraph, each stretch having one; and the index at which the first line begins
 */
export function visualLines(paragraph: string, lines: readonly string[], styled?: { styles: readonly string[]; from: number }): Stretch[][] {
  const turns = mayTurn.test(paragraph);
  if (!turns && styled === undefined) return lines.map((text) => [{ text, direction: 'ltr' }]);
  const { levels, paragraphs } = turns ? bidi().getEmbeddingLevels(paragraph) : { levels: [], paragraphs: [] };
  const base = paragraphs[0]?.level ?? 0;
  let at = styled?.from ?? 0;
  return lines.map((line) => {
    const stretches: LevelStretch[] = [];
    for (const character of line) {
      while (!paragraph.startsWith(character, at) && /[\s\u00ad]/.test(paragraph[at] ?? '')) at++;
      const last = stretches.at(-1);
      let level = base;
      let style = last?.style ?? styled?.styles[at];
      if (paragraph.startsWith(character, at)) {
        level = levels[at] ?? base;
        style = styled?.styles[at];
        at += character.length;
      } else if (character === '-') level = last?.level ?? base;
      // A mark stays with the letter that carries it.
      if (last !== undefined && ((last.level === level && last.style === style) || /\p{M}/u.test(character))) last.text += character;
      else stretches.push({ text: character, level, ...(style === undefined ? {} : { style }) });
    }
    return visualOrder(stretches);
  });
}

/** Part of a line whose characters have one level of UAX #9: even ones run from left to right, odd ones from right to left. */
interface LevelStretch {
  text: string;
  level: number;
  style?: string;
}

function visualOrder(stretches: LevelStretch[]): Stretch[] {
  // Rule L2: from the highest level to the lowest odd one, reverse every sequence of that level or higher.
  const highest = Math.max(0, ...stretches.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let start = 0; start < stretches.length; start++) {
      let end = start;
      while (end < stretches.length && (stretches[end]?.level ?? 0) >= level) end++;
      if (end > start) stretches.splice(start, end - start, ...stretches.slice(start, end).toReversed());
      start = end;
    }
  }
  return stretches
    .map(({ text, level, style }): Stretch => ({
      text: text.replace(controls, ''),
      direction: level % 2 === 1 ? 'rtl' : 'ltr',
      ...(style === undefined ? {} : { style }),
    }))
    .filter(({ text }) => text !== '');
}

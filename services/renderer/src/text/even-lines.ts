import type { Piece } from './line-breaks.js';

export interface Measured extends Piece {
  ems: number;
  /** Width at the end of a line: without trailing space, with its hyphen. */
  endEms: number;
}

/** A last line that is narrower than this share of the line and holds one word is avoided. */
const loneShare = 0.3;

/** Breaks into as few lines as possible, with the least sum of squares of free widths, if possible without a short word alone on the last. */
export function evenLines<P extends Measured>(all: readonly P[], widthEms: number): P[][] {
  if (all.length === 0) return [[]];
  interface Best {
    lines: number;
    cost: number;
    /** First piece of the last line. */
    from: number;
  }
  /** Best way to break the first n pieces. */
  const best: Best[] = [{ lines: 0, cost: 0, from: 0 }];
  for (let end = 1; end <= all.length; end++) {
    let found: Best | undefined;
    let before = 0;
    for (let from = end - 1; from >= 0; from--) {
      const width = before + (all[end - 1]?.endEms ?? 0);
      if (width > widthEms && from < end - 1) break;
      const { lines, cost } = best[from] ?? { lines: 0, cost: 0 };
      const isLone = end === all.length && from > 0 && from === end - 1 && width < loneShare * widthEms;
      const total = cost + (widthEms - width) ** 2 + (isLone ? widthEms ** 2 : 0);
      if (found === undefined || lines + 1 < found.lines || (lines + 1 === found.lines && total < found.cost))
        found = { lines: lines + 1, cost: total, from };
      before += all[from - 1]?.ems ?? 0;
    }
    best.push(found ?? { lines: 1, cost: 0, from: 0 });
  }
  const lines: P[][] = [];
  for (let end = all.length; end > 0;) {
    const from = best[end]?.from ?? 0;
    lines.unshift(all.slice(from, end));
    end = from;
  }
  return lines;
}

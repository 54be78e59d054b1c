/** Reads the characters of a font (cmap) and its copyright (name) from its own tables. */
import { readFileSync } from 'node:fs';
import * as fontkit from 'fontkit';
import { pathOf } from './fonts.js';

const known = new Map<string, number[]>();

export function charactersOf(path: string): number[] {
  let codes = known.get(path);
  if (codes === undefined) {
    known.set(
      path,
      (codes = fontOf(path)
        .characterSet.filter((code) => code >= 0x20)
        .toSorted((a, b) => a - b)),
    );
  }
  return codes;
}

export function copyrightOf(path: string): string {
  return fontOf(path).copyright;
}

function fontOf(path: string): fontkit.Font {
  const font = fontkit.create(readFileSync(pathOf(path)));
  if (!('characterSet' in font)) throw new Error(`not a single font: ${path}`);
  return font;
}

/** Returns ranges as text: distance from the end of the last range and length less one, in base 36; a length of one is left out. */
export function rangesOf(codes: number[]): string {
  const out: string[] = [];
  let end = 0;
  for (let i = 0; i < codes.length;) {
    const first = codes[i] ?? 0;
    let last = first;
    while (codes[++i] === last + 1) last++;
    out.push((first - end).toString(36) + (last === first ? '' : `-${(last - first).toString(36)}`));
    end = last;
  }
  return out.join(' ');
}

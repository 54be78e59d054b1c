/** Wraps text where no font is at hand, and for SVG, which has no line breaking. Character widths are estimates, on the large side. */

/** Made at the first use: it takes a browser 20 ms, which would delay the first paint of a page. */
let segmenter: Intl.Segmenter | null = null;

/** CJK, Hangul, kana, full-width forms and emoji are one em wide. */
const wide = /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]|\p{Extended_Pictographic}/u;

/** Returns the lines of a text; empty ones are left out. */
export function wrapText(text: string, emsMax: number): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/).flatMap((paragraph) => wrapParagraph(paragraph, emsMax));
}

function wrapParagraph(text: string, emsMax: number): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const lines: string[] = [];
  let line = '';
  let width = 0;
  const end = (): void => {
    if (line.trim() !== '') lines.push(line.trim());
    line = '';
    width = 0;
  };
  for (const word of text.split(/(\s+)/)) {
    const parts = [...segmenter.segment(word)].map(({ segment }) => segment);
    const ems = parts.reduce((sum, part) => sum + emsOf(part), 0);
    if (width + ems > emsMax && ems <= emsMax) end();
    for (const part of parts) {
      if (width + emsOf(part) > emsMax) end();
      line += part;
      width += emsOf(part);
    }
  }
  end();
  return lines;
}

function emsOf(grapheme: string): number {
  if (wide.test(grapheme)) return 1.05;
  return /[A-ZMWmw@%]/.test(grapheme) ? 0.68 : 0.5;
}

/**
 * Selects the fonts for a text. Files are registered when the first text needs them, and a text names only the families it uses: each family in a
 * font list slows measuring down (eleven made it 70 times slower), and loading all files takes seconds and hundreds of megabytes.
 */
import { graphemes, isEmoji } from '@perch/screen';
import { GlobalFonts } from 'canvas';
import { covers, emoji, facesOf, latin, type Face, type Script } from './font-faces.js';

const registered = new Set<Face>();

/** Returns the CSS font families for a text, best first, after registering them. */
export function familiesFor(text: string): string {
  const faces = new Set<Face>([latin]);
  const order = searchOrder(text);
  let hasEmoji = false;
  for (const cluster of new Set(graphemes(text))) {
    if (isEmoji(cluster)) {
      hasEmoji = true;
      continue;
    }
    for (const character of cluster) {
      const code = character.codePointAt(0) ?? 0;
      if (!covers(latin, code)) for (const face of facesWith(order, code)) faces.add(face);
    }
  }
  if (hasEmoji) faces.add(emoji);
  for (const face of faces) register(face);
  return [...faces].map((face) => `"${face.family}"`).join(', ');
}

/** Unicode's blocks of accents that combine with any letter. Marks of a single script come with that script's font. */
const accents: [number, number][] = [
  [0x300, 0x36f],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
];

/** Removes combining accents that no font has: each would be drawn as an empty box beside its letter. */
export function withoutUnknownMarks(text: string): string {
  return text.replace(/\p{M}/gu, (mark) => {
    const code = mark.codePointAt(0) ?? 0;
    return accents.some(([from, to]) => code >= from && code <= to) && !covers(latin, code) ? '' : mark;
  });
}

/**
 * Returns the order of the scripts' fonts: Han characters look different in Japanese and Chinese; kana and hangul tell which language a text is in.
 */
function searchOrder(text: string): Script[] {
  const han: Script[] = /[\u3040-\u30ff]/.test(text)
    ? ['japanese', 'chinese', 'korean']
    : /[\u1100-\u11ff\uac00-\ud7a3]/.test(text)
      ? ['korean', 'japanese', 'chinese']
      : ['chinese', 'japanese', 'korean'];
  return ['arabic', 'hebrew', 'thai', 'symbols', ...han];
}

function facesWith(order: Script[], code: number): Face[] {
  for (const script of order) {
    const found = facesOf(script).filter((face) => covers(face, code));
    if (found.length > 0) return found;
  }
  return [];
}

function register(face: Face): void {
  if (registered.has(face)) return;
  for (const path of face.paths) if (!GlobalFonts.registerFromPath(path, face.family)) throw new Error(`not a font: ${path}`);
  registered.add(face);
}

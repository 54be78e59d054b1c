/**
 * The fonts, from npm packages' woff2 files, and which of them a text needs.
 * Files are registered when the first text needs them, and a text names only the families it uses: each family in a font list slows measuring down
 * (eleven made it 70 times slower), and all files together cost seconds and hundreds of megabytes.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { graphemes, isEmoji } from '@perch/screen';
import { GlobalFonts } from 'canvas';

/** Files that share a family name, and the characters they are asked for. */
interface Face {
  family: string;
  paths: string[];
  ranges: [number, number][];
}

type Script = 'arabic' | 'hebrew' | 'thai' | 'symbols' | 'chinese' | 'japanese' | 'korean';

const require = createRequire(import.meta.url);
const facesByScript = new Map<Script, Face[]>();
const registered = new Set<Face>();

const latin: Face = face('Perch Sans', Object.values(subsetsOf('@fontsource/noto-sans')).join(), [
  ...Object.keys(subsetsOf('@fontsource/noto-sans')).flatMap((subset) =>
    [400, 700].map((weight) => `@fontsource/noto-sans/files/noto-sans-${subset}-${weight}-normal.woff2`),
  ),
]);

/** The whole font, not its slices: a sequence joined of emoji from two slices would fall apart. */
const emoji: Face = face('Perch Emoji', '', ['@fontsource/noto-color-emoji/files/noto-color-emoji-emoji-400-normal.woff2']);

/** The CSS font families for a text, best first, all of them registered. */
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
      if (!covers(latin, code)) for (const found of facesWith(order, code)) faces.add(found);
    }
  }
  if (hasEmoji) faces.add(emoji);
  for (const used of faces) register(used);
  return [...faces].map((used) => `"${used.family}"`).join(', ');
}

/** Unicode's blocks of accents that combine with any letter; the marks of a script of its own come with that script's font. */
const accents: [number, number][] = [
  [0x300, 0x36f],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
];

/** Without the combining accents that no font has: each would be an empty box beside its letter. */
export function withoutUnknownMarks(text: string): string {
  return text.replace(/\p{M}/gu, (mark) => {
    const code = mark.codePointAt(0) ?? 0;
    return accents.some(([from, to]) => code >= from && code <= to) && !covers(latin, code) ? '' : mark;
  });
}

/** Han characters look different in Japanese and Chinese; kana and hangul tell which one a text is. */
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
    const found = facesOf(script).filter((candidate) => covers(candidate, code));
    if (found.length > 0) return found;
  }
  return [];
}

function facesOf(script: Script): Face[] {
  let faces = facesByScript.get(script);
  if (!faces) {
    faces = loadFaces(script);
    facesByScript.set(script, faces);
  }
  return faces;
}

function loadFaces(script: Script): Face[] {
  switch (script) {
    case 'arabic':
      return variableFaces(script, 'noto-sans-arabic', (subset) => subset === 'arabic');
    case 'hebrew':
      return variableFaces(script, 'noto-sans-hebrew', (subset) => subset === 'hebrew');
    case 'thai':
      return variableFaces(script, 'noto-sans-thai', (subset) => subset === 'thai');
    case 'chinese':
      return variableFaces(script, 'noto-sans-sc', isNumbered);
    case 'japanese':
      return variableFaces(script, 'noto-sans-jp', isNumbered);
    case 'korean':
      return variableFaces(script, 'noto-sans-kr', isNumbered);
    case 'symbols':
      return symbolFaces();
  }
}

/** A family a subset, so that a text of ten characters brings ten small files in and not a hundred. */
function variableFaces(script: Script, name: string, wanted: (subset: string) => boolean): Face[] {
  const from = `@fontsource-variable/${name}`;
  return Object.entries(subsetsOf(from))
    .filter(([subset]) => wanted(subset))
    .map(([subset, ranges]) => {
      const key = subset.replace(/[[\]]/g, '');
      return face(`Perch ${script} ${key}`, ranges, [`${from}/files/${name}-${key}-wght-normal.woff2`]);
    });
}

/** Three fonts that complete each other; their packages do not say which has which, so they come together. */
function symbolFaces(): Face[] {
  const ranges = [subsetsOf('@fontsource/noto-sans-symbols')['symbols'], subsetsOf('@fontsource/noto-sans-symbols-2')['math']].join();
  return [
    face(
      'Perch symbols',
      ranges,
      [400, 700].map((weight) => `@fontsource/noto-sans-symbols/files/noto-sans-symbols-symbols-${weight}-normal.woff2`),
    ),
    face('Perch symbols 2', ranges, ['@fontsource/noto-sans-symbols-2/files/noto-sans-symbols-2-symbols-400-normal.woff2']),
    face('Perch math', ranges, ['@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal.woff2']),
  ];
}

function register(used: Face): void {
  if (registered.has(used)) return;
  for (const path of used.paths) {
    if (!GlobalFonts.registerFromPath(require.resolve(path), used.family)) throw new Error(`not a font: ${path}`);
  }
  registered.add(used);
}

function covers(candidate: Face, code: number): boolean {
  return candidate.ranges.some(([from, to]) => code >= from && code <= to);
}

/** @param ranges `U+0-FF,U+131` */
function face(family: string, ranges: string, paths: string[]): Face {
  const parsed = ranges.split(',').map((range): [number, number] => {
    const [from = '', to = from] = range.replace('U+', '').split('-');
    return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
  });
  return { family, paths, ranges: parsed };
}

function isNumbered(subset: string): boolean {
  return subset.startsWith('[');
}

/** Subset -> its characters, as the package's CSS has them. */
function subsetsOf(name: string): Record<string, string> {
  return JSON.parse(readFileSync(require.resolve(`${name}/unicode.json`), 'utf8')) as Record<string, string>;
}

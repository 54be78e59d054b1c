/** Font files: woff2 files in npm packages, split into subsets, with a table of each subset's characters. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** Files that share a family name, and the characters they are used for. */
export interface Face {
  family: string;
  paths: string[];
  ranges: [number, number][];
}

const require = createRequire(import.meta.url);

/** Each package's table of subsets; its files are in the same folder. */
const tables = {
  sans: require.resolve('@fontsource/noto-sans/unicode.json'),
  emoji: require.resolve('@fontsource/noto-color-emoji/unicode.json'),
  arabic: require.resolve('@fontsource-variable/noto-sans-arabic/unicode.json'),
  hebrew: require.resolve('@fontsource-variable/noto-sans-hebrew/unicode.json'),
  thai: require.resolve('@fontsource-variable/noto-sans-thai/unicode.json'),
  chinese: require.resolve('@fontsource-variable/noto-sans-sc/unicode.json'),
  japanese: require.resolve('@fontsource-variable/noto-sans-jp/unicode.json'),
  korean: require.resolve('@fontsource-variable/noto-sans-kr/unicode.json'),
  symbols: require.resolve('@fontsource/noto-sans-symbols/unicode.json'),
  symbols2: require.resolve('@fontsource/noto-sans-symbols-2/unicode.json'),
  math: require.resolve('@fontsource/noto-sans-math/unicode.json'),
};

type Package = keyof typeof tables;
export type Script = 'arabic' | 'hebrew' | 'thai' | 'symbols' | 'chinese' | 'japanese' | 'korean';

/** Latin, Greek, Cyrillic, Vietnamese, Devanagari; small enough to be one family. */
export const latin: Face = {
  family: 'Perch Sans',
  paths: Object.keys(subsetsOf('sans')).flatMap((subset) => [fileOf('sans', subset, 400), fileOf('sans', subset, 700)]),
  ranges: Object.values(subsetsOf('sans')).flatMap(rangesIn),
};

/** The whole font, not its subsets: a joined sequence of emoji from two subsets would be drawn as separate emoji. */
export const emoji: Face = { family: 'Perch Emoji', paths: [fileOf('emoji', 'emoji', 400)], ranges: [] };

const facesByScript = new Map<Script, Face[]>();

/** Returns the faces of a script; several may contain a character. */
export function facesOf(script: Script): Face[] {
  let faces = facesByScript.get(script);
  if (!faces) facesByScript.set(script, (faces = script === 'symbols' ? symbolFaces() : variableFaces(script)));
  return faces;
}

export function covers(face: Face, code: number): boolean {
  return face.ranges.some(([from, to]) => code >= from && code <= to);
}

/** One family per subset, so that a text of ten characters loads ten small files and not a hundred. Omits the packages' Latin. */
function variableFaces(script: Exclude<Script, 'symbols'>): Face[] {
  return Object.entries(subsetsOf(script))
    .map(([key, ranges]) => ({ subset: key.replace(/[[\]]/g, ''), ranges }))
    .filter(({ subset }) => subset === script || /^\d+$/.test(subset))
    .map(({ subset, ranges }) => ({ family: `Perch ${script} ${subset}`, paths: [fileOf(script, subset, 'wght')], ranges: rangesIn(ranges) }));
}

/** Returns three fonts that complete each other, always together: their packages do not say which characters each one has. */
function symbolFaces(): Face[] {
  const ranges = [...rangesIn(subsetsOf('symbols')['symbols'] ?? ''), ...rangesIn(subsetsOf('symbols2')['math'] ?? '')];
  return [
    { family: 'Perch symbols', paths: [fileOf('symbols', 'symbols', 400), fileOf('symbols', 'symbols', 700)], ranges },
    { family: 'Perch symbols 2', paths: [fileOf('symbols2', 'symbols', 400)], ranges },
    // This package calls its only file "latin"; it contains arrows and operators.
    { family: 'Perch math', paths: [fileOf('math', 'latin', 400)], ranges },
  ];
}

function fileOf(from: Package, subset: string, weight: number | 'wght'): string {
  const folder = dirname(tables[from]);
  return join(folder, 'files', `${basename(folder)}-${subset}-${weight}-normal.woff2`);
}

/** Returns the characters of each subset in CSS notation: `U+0-FF,U+131`. */
function subsetsOf(from: Package): Record<string, string> {
  return JSON.parse(readFileSync(tables[from], 'utf8')) as Record<string, string>;
}

function rangesIn(css: string): [number, number][] {
  return css.split(',').map((range) => {
    const [from = '', to = from] = range.replace('U+', '').split('-');
    return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
  });
}

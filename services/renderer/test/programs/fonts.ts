/** The shipped font files, in the order in which a character looks for its font. `han` files belong to one language's Han characters. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ShippedFile {
  group: string;
  /** Below `node_modules` of the renderer, or below its folder `fonts`. */
  path: string;
  /** The same characters in bold; without it the file has all weights, or one. */
  bold?: string;
}

export const rendererFolder = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(import.meta.url);

/** Scripts whose package names its main subset after the script. */
const scripts = [
  'armenian',
  'georgian',
  'hebrew',
  'arabic',
  'devanagari',
  'bengali',
  'tamil',
  'telugu',
  'kannada',
  'malayalam',
  'gujarati',
  'gurmukhi',
  'oriya',
  'sinhala',
  'thai',
  'lao',
  'khmer',
  'myanmar',
  'ethiopic',
];

const sans = '@expo-google-fonts/noto-sans';
const mono = '@expo-google-fonts/noto-sans-mono';
const han = { sc: 'noto-sans-sc', tc: 'noto-sans-tc', jp: 'noto-sans-jp', kr: 'noto-sans-kr' };

export const shippedFiles: ShippedFile[] = [
  { group: 'mono', path: `${mono}/400Regular/NotoSansMono_400Regular.ttf`, bold: `${mono}/700Bold/NotoSansMono_700Bold.ttf` },
  { group: 'sans', path: `${sans}/400Regular/NotoSans_400Regular.ttf`, bold: `${sans}/700Bold/NotoSans_700Bold.ttf` },
  ...scripts.map((script) => ({
    group: 'script',
    path: `@fontsource-variable/noto-sans-${script}/files/noto-sans-${script}-${script}-wght-normal.woff2`,
  })),
  {
    group: 'symbols',
    path: '@fontsource/noto-sans-symbols/files/noto-sans-symbols-symbols-400-normal.woff2',
    bold: '@fontsource/noto-sans-symbols/files/noto-sans-symbols-symbols-700-normal.woff2',
  },
  ...['math', 'symbols', 'braille'].map((subset) => ({
    group: 'symbols',
    path: `@fontsource/noto-sans-symbols-2/files/noto-sans-symbols-2-${subset}-400-normal.woff2`,
  })),
  // This package calls its only file "latin"; it contains arrows and operators.
  { group: 'symbols', path: '@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal.woff2' },
  ...Object.entries(han).flatMap(([group, name]) => slices(group, name)),
  ...['sc', 'tc'].map((group) => ({ group, path: `fonts/han-${group}-400.woff2`, bold: `fonts/han-${group}-700.woff2` })),
  { group: 'emoji', path: '@expo-google-fonts/noto-color-emoji/400Regular/NotoColorEmoji_400Regular.ttf' },
];

export function pathOf(file: string): string {
  if (file.startsWith('fonts/')) return join(rendererFolder, file);
  const [scope = '', name = ''] = file.split('/');
  return join(dirname(require.resolve(`${scope}/${name}/package.json`)), file.slice(scope.length + name.length + 2));
}

function slices(group: string, name: string): ShippedFile[] {
  const folder = `@fontsource-variable/${name}/files`;
  const number = (file: string): number => Number(/-(\d+)-wght-normal\.woff2$/.exec(file)?.[1] ?? NaN);
  return readdirSync(pathOf(folder))
    .filter((file) => !Number.isNaN(number(file)))
    .toSorted((a, b) => number(a) - number(b))
    .map((file) => ({ group, path: `${folder}/${file}` }));
}

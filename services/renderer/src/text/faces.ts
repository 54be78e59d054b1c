/** The shipped fonts and their characters. A run names one family that has all its characters, so that Skia never uses the machine's fonts. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GlobalFonts } from 'canvas';

/** Shapes of Han characters: simplified Chinese, traditional Chinese, Japanese, Korean. */
export type Han = 'sc' | 'tc' | 'jp' | 'kr';
type Group = 'mono' | 'sans' | 'script' | 'symbols' | 'emoji' | Han;

export interface Face {
  family: string;
  group: Group;
  paths: string[];
}

interface CoveredFile {
  group: Group;
  /** Below `node_modules`, or in this package's folder `fonts`. */
  path: string;
  bold?: string;
  /** Written by test/programs/generate.ts from the font's own table. */
  ranges: string;
}

const folder = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(import.meta.url);
const files = JSON.parse(readFileSync(join(folder, 'fonts/coverage.json'), 'utf8')) as CoveredFile[];

/** The first face of each character, by group; a group is read when its first character is looked up. */
const groups = new Map<Group, Map<number, Face>>();
const registered = new Set<Face>();

export function faceOf(group: Group, code: number): Face | undefined {
  let faces = groups.get(group);
  if (faces === undefined) groups.set(group, (faces = readGroup(group)));
  return faces.get(code);
}

/** Registers the files of a face when it is first used: loading all of them takes seconds. */
export function register(face: Face): void {
  if (registered.has(face)) return;
  for (const path of face.paths) if (!GlobalFonts.registerFromPath(path, face.family)) throw new Error(`not a font: ${path}`);
  registered.add(face);
}

/** Returns all faces, for tests that use every font. */
export function allFaces(): { face: Face; code: number }[] {
  return (['mono', 'sans', 'script', 'symbols', 'sc', 'tc', 'jp', 'kr', 'emoji'] as const).flatMap((group) => {
    faceOf(group, 0);
    const firsts = new Map<Face, number>();
    for (const [code, face] of groups.get(group) ?? []) if (!firsts.has(face)) firsts.set(face, code);
    return [...firsts].map(([face, code]) => ({ face, code }));
  });
}

function readGroup(group: Group): Map<number, Face> {
  const faces = new Map<number, Face>();
  for (const [i, file] of files.entries()) {
    if (file.group !== group) continue;
    const paths = [file.path, ...(file.bold === undefined ? [] : [file.bold])].map(pathOf);
    const face: Face = { family: `Perch ${group} ${i}`, group, paths };
    let end = 0;
    for (const range of file.ranges.split(' ')) {
      const [gap = '', more = '0'] = range.split('-');
      const first = end + Number.parseInt(gap, 36);
      end = first + Number.parseInt(more, 36);
      for (let code = first; code <= end; code++) if (!faces.has(code)) faces.set(code, face);
    }
  }
  return faces;
}

function pathOf(file: string): string {
  if (file.startsWith('fonts/')) return join(folder, file);
  const name = file.split('/').slice(0, 2).join('/');
  return join(dirname(require.resolve(`${name}/package.json`)), file.slice(name.length + 1));
}

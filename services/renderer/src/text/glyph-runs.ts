/** Splits a text into runs that one font draws whole, and finds the characters that no shipped font has. */
import { graphemes, isEmoji } from '@perch/screen';
import { faceOf, type Face, type Han } from './faces.js';
import { isSpaceSign } from './signs.js';
import { isSprite } from './sprites.js';

export type GlyphRun =
  | { kind: 'glyphs'; text: string; face: Face }
  /** An emoji that is drawn from a stored picture (sprites.ts). */
  | { kind: 'sprite'; text: string }
  /** White space of an exact text, which is drawn as a sign. */
  | { kind: 'space'; text: string }
  /** One character that no font has; drawn as its code point. */
  | { kind: 'missing'; text: string };

export interface FontChoice {
  /** Shapes of Han characters, preferred ones first (`hanOrder`). */
  han: readonly Han[];
  mono?: boolean;
}

const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
/** What Noto Sans has for certain: saves splitting into clusters, 10 µs each. */
const plainLatin = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u024f\u2018-\u201d\u2026]*$/;

/** Returns the runs of a text in its logical order. @param onMissing called with each character that is not drawn, or drawn as its code point */
export function glyphRuns(text: string, { han, mono = false }: FontChoice, onMissing?: (character: string) => void): GlyphRun[] {
  if (text === '') return [];
  const latin = faceOf(mono ? 'mono' : 'sans', 0x20);
  if (latin !== undefined && plainLatin.test(text)) return [{ kind: 'glyphs', text, face: latin }];
  const runs: GlyphRun[] = [];
  for (const cluster of graphemes(text)) {
    const alone = mono ? monoRun(cluster) : null;
    for (const run of alone === null ? runsOfCluster(cluster, han, onMissing) : [alone]) {
      const last = runs.at(-1);
      if (run.kind === 'glyphs' && last?.kind === 'glyphs' && last.face === run.face) last.text += run.text;
      else runs.push(run);
    }
  }
  return runs;
}

/** Returns the shapes of Han characters, best first. Without a language, kana tell that a text is Japanese, hangul Korean. @param lang BCP 47 */
export function hanOrder(text: string, lang?: string): readonly Han[] {
  const [language, ...subtags] = (lang ?? '').toLowerCase().split('-');
  if (language === 'ja') return ['jp', 'sc', 'tc', 'kr'];
  if (language === 'ko') return ['kr', 'jp', 'tc', 'sc'];
  const isTraditional = language === 'yue' || ['hant', 'tw', 'hk', 'mo'].some((tag) => subtags.includes(tag));
  if ((language === 'yue' || language === 'zh') && isTraditional && !subtags.includes('hans')) return ['tc', 'jp', 'kr', 'sc'];
  if (language === 'yue' || language === 'zh') return ['sc', 'tc', 'jp', 'kr'];
  if (/[\u3040-\u30ff]/.test(text)) return ['jp', 'sc', 'tc', 'kr'];
  if (/[\u1100-\u11ff\uac00-\ud7a3]/.test(text)) return ['kr', 'jp', 'tc', 'sc'];
  return ['sc', 'tc', 'jp', 'kr'];
}

function monoRun(cluster: string): GlyphRun | null {
  const codes = codesOf(cluster);
  const face = faceOf('mono', codes[0] ?? 0);
  if (face === undefined || isEmoji(cluster) || !codes.every((code) => faceOf('mono', code) === face)) return null;
  return { kind: 'glyphs', text: cluster, face };
}

function runsOfCluster(cluster: string, han: readonly Han[], onMissing: ((character: string) => void) | undefined): GlyphRun[] {
  if (isSpaceSign(cluster)) return [{ kind: 'space', text: cluster }];
  if (isSprite(cluster)) return [{ kind: 'sprite', text: cluster }];
  const codes = codesOf(cluster);
  if (codes.length === 0) return [];
  const emoji = isEmoji(cluster) && emojiFace(codes);
  if (emoji) return [{ kind: 'glyphs', text: cluster, face: emoji }];

  const face = textFace(codes, han);
  if (face) return [{ kind: 'glyphs', text: cluster, face }];
  // A letter that is in no font as a whole, but in parts.
  const parts = cluster.normalize('NFD');
  const ofParts = parts === cluster ? undefined : textFace(codesOf(parts), han);
  if (ofParts) return [{ kind: 'glyphs', text: parts, face: ofParts }];
  // Symbols that only the emoji font has.
  const asEmoji = emojiFace(codes);
  if (asEmoji) return [{ kind: 'glyphs', text: cluster, face: asEmoji }];
  return codes.length === 1 ? missing(cluster.replace(ignorable, ''), onMissing) : withoutUnknownParts(codes, han, onMissing);
}

/** Returns runs of a cluster whose characters are in no font together: marks that the letter's font lacks are left out. */
function withoutUnknownParts(codes: number[], han: readonly Han[], onMissing: ((character: string) => void) | undefined): GlyphRun[] {
  const [base = 0, ...rest] = codes;
  const first = String.fromCodePoint(base);
  const face = textFace([base], han) ?? emojiFace([base]);
  if (face === undefined) return [...missing(first, onMissing), ...rest.flatMap((code) => runsOfCluster(String.fromCodePoint(code), han, onMissing))];
  let text = first;
  const others: GlyphRun[] = [];
  for (const code of rest) {
    const character = String.fromCodePoint(code);
    if (faceOf(face.group, code) === face) text += character;
    else if (/\p{M}/u.test(character)) onMissing?.(character);
    else others.push(...runsOfCluster(character, han, onMissing));
  }
  return [{ kind: 'glyphs', text, face }, ...others];
}

function missing(text: string, onMissing: ((character: string) => void) | undefined): GlyphRun[] {
  onMissing?.(text);
  return [{ kind: 'missing', text }];
}

function textFace(codes: readonly number[], han: readonly Han[]): Face | undefined {
  const [first = 0, ...rest] = codes;
  for (const group of ['sans', 'script', ...groupsByKind(first, han)] as const) {
    const face = faceOf(group, first);
    if (face !== undefined && rest.every((code) => faceOf(group, code) === face)) return face;
  }
  return undefined;
}

/** East Asian punctuation and symbols come from the same font as the letters beside them. */
function groupsByKind(code: number, han: readonly Han[]): readonly ('symbols' | Han)[] {
  return code >= 0x2e80 && code < 0x1f000 ? [...han, 'symbols'] : ['symbols', ...han];
}

function emojiFace(codes: readonly number[]): Face | undefined {
  const face = faceOf('emoji', codes[0] ?? 0);
  return face !== undefined && codes.every((code) => faceOf('emoji', code) === face) ? face : undefined;
}

/** Returns the code points of a cluster that must be in its font: not those without a shape, such as joiners and variation selectors. */
function codesOf(cluster: string): number[] {
  return [...cluster.replace(ignorable, '')].map((character) => character.codePointAt(0) ?? 0);
}

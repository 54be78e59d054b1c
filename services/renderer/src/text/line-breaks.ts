/**
 * Where a line may end: by the Unicode line breaking algorithm (UAX #14), between grapheme clusters only, with what the algorithm leaves to its users:
 * words of scripts without spaces, dates, telephone numbers and quantities, addresses of the web.
 */
import { Rules } from '@cto.af/linebreak';
import { graphemes } from '@perch/screen';

export interface Piece {
  text: string;
  /** A line that ends with it gets a hyphen, or in an exact text the sign of a line that ends within a word. */
  hyphen: boolean;
}

const rules = new Rules({ example7: true, string: false });
const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Letters and spaces: a line may end after each space, and nowhere else. */
const simple = /^[A-Za-z\u00c0-\u024f.,;:!' ]*$/;
/** Scripts whose words are not separated: UAX #14 leaves those of South East Asia whole, and allows a break after every Han character or kana. */
const wordless = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u;
const syllabic = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]/;

/**
 * Never broken: dates, times and ranges; telephone numbers; numbers with their sign and unit; a path's first slash; a letter before a hyphen (e-mail);
 * Korean words, which UAX #14 lets break between syllables, as books do.
 */
const kept = [
  /\d{1,4}(?:[./-]\d{1,4}){1,2}/g,
  /\d[\d.,:]*\s?[–-]\s?\d[\d.,:]*/g,
  /(?:\+|\(0|\b0)\d[\d ()/.-]{4,17}\d/g,
  /\b\d{3}[-. ]\d{3}[-. ]\d{4}\b/g,
  /[-−+±]?\d[\d.,]*[ \u00a0\u202f](?:°[CFK]?|[%‰€$£¥₹]|km\/h|[kMGT]?i?B|[kcmµ]?m|[km]?g|[km]?W|[km]?V|k?Hz|s|ms|min|h|l|ml|am|pm)(?![\p{L}\d])/gu,
  /[€$£¥₹] ?\d[\d.,]*/g,
  /(?:\d{2,4}[年년] ?)?\d{1,2}[月월] ?\d{1,2}[日일]/g,
  /\d[\p{Script=Han}\p{Script=Hangul}]/gu,
  /(?<!\S)[/~-]+[^\s/~-]/gu,
  /(?<![\p{L}\p{N}])\p{L}-\p{L}/gu,
  /\p{Script=Hangul}+/gu,
  /[\p{Script=Latin}\p{Script=Han}]\p{Script=Hangul}/gu,
];
/** In an address a line may end after these; `//` stays with what precedes it. */
const inAddress = /[/?&_=#](?=[\p{L}\p{N}])/gu;
/** A slash that begins a path; UAX #14 keeps it with the word before. */
const pathStart = /(?<=\s)\/(?=[^\s/])/g;

/** Letters of scripts that break words with a hyphen. */
const hyphenated = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Georgian}]/u;

/** Returns the words of an exact text, each with the space after it: where a line ends after it, no sign is needed. */
export function words(paragraph: string): Piece[] {
  const clusters = graphemes(paragraph);
  const ends = clusters.flatMap((cluster, i) => (cluster === ' ' ? [i + 1] : []));
  return [0, ...ends]
    .map((from, i) => clusters.slice(from, ends[i]).join(''))
    .filter((text) => text !== '')
    .map((text) => ({ text, hyphen: false }));
}

export function pieces(paragraph: string): Piece[] {
  if (simple.test(paragraph)) return (paragraph.match(/[^ ]* +|[^ ]+$/g) ?? []).map((text) => ({ text, hyphen: false }));
  const ends = new Set<number>();
  for (const { position } of rules.breaks(paragraph)) ends.add(position);
  if (wordless.test(paragraph)) followWords(paragraph, ends);
  for (const { index } of paragraph.matchAll(inAddress)) ends.add(index + 1);
  for (const { index } of paragraph.matchAll(pathStart)) ends.add(index);
  for (const pattern of kept) {
    for (const { 0: text, index } of paragraph.matchAll(pattern)) for (let at = index + 1; at < index + text.length; at++) ends.delete(at);
  }
  return split(paragraph, ends);
}

/** Splits a piece wider than a line; a hyphen leaves two letters on each side. @param anywhere between any letters, not only syllables */
export function parts(piece: Piece, anywhere: boolean): Piece[] {
  const clusters = graphemes(piece.text);
  const starts = anywhere ? null : syllableStarts(clusters);
  const letter = (i: number): boolean => hyphenated.test(clusters[i] ?? '');
  const out: Piece[] = [];
  let text = '';
  clusters.forEach((cluster, i) => {
    text += cluster;
    const isLast = i === clusters.length - 1;
    const inWord = letter(i) && letter(i + 1);
    const nearEdge = inWord && (!letter(i - 1) || !letter(i + 2));
    const beforePunctuation = /^[.,:;!?)\]}…]/.test(clusters[i + 1] ?? '');
    if (!isLast && (nearEdge || beforePunctuation || (inWord && starts?.has(i + 1) === false))) return;
    out.push({ text, hyphen: isLast ? piece.hyphen : inWord });
    text = '';
  });
  return out;
}

/** In most languages a syllable begins at a consonant before a vowel, after another vowel (Wohn-zim-mer). An h stays with sch, th. */
function syllableStarts(clusters: readonly string[]): Set<number> {
  const vowels = clusters.map(isVowel);
  const starts = new Set<number>();
  let hasVowel = false;
  vowels.forEach((vowel, i) => {
    if (hasVowel && vowel === false && vowels[i + 1] === true && !(/^h$/i.test(clusters[i] ?? '') && vowels[i - 1] === false)) starts.add(i);
    hasVowel = vowel !== undefined && (hasVowel || vowel);
  });
  return starts;
}

/** Undefined for anything but a letter of a script with known vowels. */
function isVowel(cluster: string): boolean | undefined {
  if (!/^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u.test(cluster)) return undefined;
  return /^[aeiouyæøœıаеиоуыэюяієαεηιουω]/iu.test(cluster.normalize('NFD'));
}

/** Moves the breaks between characters of scripts without spaces to the ends of their words. */
function followWords(paragraph: string, ends: Set<number>): void {
  for (const { segment, index } of wordSegmenter.segment(paragraph)) {
    if (!wordless.test(segment)) continue;
    for (let at = index + 1; at < index + segment.length; at++) ends.delete(at);
    const next = paragraph[index + segment.length] ?? '';
    if (syllabic.test(segment) && syllabic.test(next)) ends.add(index + segment.length);
  }
}

function split(paragraph: string, ends: ReadonlySet<number>): Piece[] {
  const out: Piece[] = [];
  let text = '';
  let at = 0;
  for (const cluster of graphemes(paragraph)) {
    text += cluster;
    at += cluster.length;
    if (!ends.has(at) && at < paragraph.length) continue;
    out.push({ text: text.replaceAll('\u00ad', ''), hyphen: text.endsWith('\u00ad') && at < paragraph.length });
    text = '';
  }
  return out.filter((piece) => piece.text !== '');
}

/** Text as grapheme clusters; widths are estimated without a font. */

import { firstInk, hasInk, withoutTerminalSequences } from '@perch/schema/plain';
import { boxed } from './invisible.js';

/** Made at the first use: it takes a browser 20 ms, which would delay the first paint of a page. */
let segmenter: Intl.Segmenter | null = null;

/** Far more than fits on the screen at the smallest size. Keeps jobs small and segmentation fast. */
const clustersMax = 1000;
const unitsMax = 16_000;
/** Meaningful clusters (a region's flag, a family) have fewer than 30 code units; longer ones are marks stacked on one letter. */
const clusterUnitsMax = 64;

const loneSurrogate = /\p{Surrogate}/gu;
// eslint-disable-next-line no-control-regex
const dropped = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u202a-\u202e\ufffe\uffff]/;
const piled = /\p{Surrogate}|\p{M}{5}/u;
const joining = /\p{M}|\p{Cf}|[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;

/** Parts of the original that a tidied text lacks. */
export interface TextLoss {
  /** Its end: it was truncated. */
  cut: boolean;
  /** Characters that are not drawn, or drawn differently: invisible ones, controls with the sequences they begin, direction overrides, lone surrogates, piled up marks. */
  altered: boolean;
}

/** Each of these characters is a cluster; a carriage return and a line feed together are one. */
// eslint-disable-next-line no-control-regex
const ascii = /^[\x00-\x0c\x0e-\x7f]*$/;

/** @param max maximum number of clusters: each takes about 10 µs of the caller's event loop, unless the text is ASCII */
export function graphemes(text: string, max = Infinity): string[] {
  if (ascii.test(text)) return (text.length > max ? text.slice(0, max) : text).split('');
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  const clusters: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    if (clusters.length >= max) break;
    clusters.push(segment);
  }
  return clusters;
}

/**
 * Returns a text that can be drawn: composed (NFC), at most four marks per letter, no control characters and sequences of terminals, nothing that overrides the direction of letters
 * (U+202E would make "kcatta" read "attack"), a box for invisible characters, no lone surrogates, no white space at the ends of lines, at most one empty
 * line in a row, at most 1,000 grapheme clusters (truncated with an ellipsis).
 * Returns '' if and only if the text has no ink (`hasInk`).
 */
export function tidyText(text: string): string {
  return tidied(text, 'joined').text;
}

/** As `tidyText`, but keeps spaces within and at the start of lines, for columns in a monospace font; a tab becomes spaces up to a multiple of 4. */
export function tidyLines(text: string): string {
  return tidied(text, 'columns').text;
}

/**
 * White space that an exact text shows by signs, and the control characters that stand for them: the renderer draws these, they count as ink, and no
 * text has them. A space that is alone between two other characters needs no sign.
 */
export const whiteSpaceSigns = {
  space: '\u0001',
  tab: '\u0002',
  noBreakSpace: '\u0003',
  narrowNoBreakSpace: '\u0004',
  ideographicSpace: '\u0005',
} as const;

/** As `tidyText`, but keeps each character of white space that has a sign, and each `\n`. */
export function exactText(text: string): string {
  return tidied(text, 'exact').text;
}

/** Returns what `tidyText`, or `exactText`, takes from a text. */
export function lossOf(text: string, spaces: 'joined' | 'exact' = 'joined'): TextLoss {
  // Most texts lose nothing, and segmenting them again would take as long as laying them out.
  const mayLose =
    text.length > clustersMax ||
    dropped.test(text) ||
    piled.test(text) ||
    boxed(text) !== text ||
    (text.length > clusterUnitsMax && joining.test(text));
  const { cut, altered } = mayLose ? tidied(text, spaces) : { cut: false, altered: false };
  return { cut, altered };
}

function tidied(sent: string, spaces: 'joined' | 'columns' | 'exact'): TextLoss & { text: string } {
  const text = sent.slice(0, unitsMax).replace(/^\ufeff+/, '');
  const printed = withoutTerminalSequences(text);
  const visible = boxed(printed);
  const composed = visible
    .replace(loneSurrogate, '\ufffd')
    .replace(/\r\n?|[\u2028\u2029\u0085\v\f]/g, '\n')
    .replace(/^.*\t.*$/gm, (line) => (spaces === 'columns' ? withoutTabs(line) : line))
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\ufffe\uffff]/g, '')
    .normalize('NFC');
  const unpiled = composed.replace(/(\p{M}{4})\p{M}+/gu, '$1');
  const tidy = withSpaces[spaces](unpiled);
  // One cluster more than is kept shows that the text is longer.
  const found = graphemes(tidy, clustersMax + 1);
  const clusters = found.map((cluster) => (cluster.length > clusterUnitsMax ? shortened(cluster) : cluster));
  // Truncation to `unitsMax` may have split the last cluster.
  const whole = sent.length > unitsMax ? Math.max(0, clusters.length - 1) : clusters.length;
  const keptMax = Math.min(whole, clustersMax);
  const cut = keptMax < clusters.length || sent.length > unitsMax;
  const kept = cut ? withEllipsis(clusters.slice(0, keptMax)) : clusters.join('');
  const altered =
    dropped.test(text) ||
    visible !== printed ||
    text.search(loneSurrogate) !== -1 ||
    unpiled !== composed ||
    clusters.some((cluster, i) => cluster !== found[i]);
  return { text: hasInk(sent) ? kept : '', cut, altered };
}

/** Returns the beginning of a cluster that is no letter, keeping a visible character of it if there is one. */
function shortened(cluster: string): string {
  const start = cluster.slice(0, clusterUnitsMax).replace(loneSurrogate, '');
  return hasInk(start) ? start : (firstInk(cluster) ?? start);
}

function spacesJoined(text: string): string {
  return text
    .replace(/[^\S\n]+/g, (space) => (space.includes('\u00a0') ? '\u00a0' : ' '))
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function outerLinesTrimmed(text: string): string {
  return text
    .replace(/[^\S\n \u00a0]/g, ' ')
    .replace(/[ \u00a0]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '');
}

function spacesSigned(text: string): string {
  return text
    .replace(/(?<!\S) | (?!\S)/g, whiteSpaceSigns.space)
    .replaceAll('\t', whiteSpaceSigns.tab)
    .replaceAll('\u00a0', whiteSpaceSigns.noBreakSpace)
    .replaceAll('\u202f', whiteSpaceSigns.narrowNoBreakSpace)
    .replaceAll('\u3000', whiteSpaceSigns.ideographicSpace);
}

const withSpaces = { joined: spacesJoined, columns: outerLinesTrimmed, exact: spacesSigned };

const tabWidth = 4;

function withoutTabs(line: string): string {
  return line.split('\t').reduce((before, part) => before.padEnd((Math.floor(before.length / tabWidth) + 1) * tabWidth) + part);
}

export function withEllipsis(clusters: string[]): string {
  return clusters.join('').trimEnd() + '…';
}

export function isEmoji(cluster: string): boolean {
  if (cluster.length === 1 && cluster < '\u0080') return false;
  return (
    /^\p{Emoji_Presentation}(?!\ufe0e)|^\p{Emoji_Modifier_Base}\p{Emoji_Modifier}|^\p{Regional_Indicator}{2}|\u20e3$/u.test(cluster) ||
    /^\p{Extended_Pictographic}.*[\ufe0f\u200d]/u.test(cluster)
  );
}

/** Estimates the width of the text on one line, in units of the font size. Rarely underestimates. */
export function textEms(text: string): number {
  let ems = 0;
  for (const cluster of graphemes(text)) ems += clusterEms(cluster);
  return ems;
}

/** As `textEms`, for the widest unbreakable part of the text. */
export function widestWordEms(text: string): number {
  let widest = 0;
  let word = 0;
  for (const cluster of graphemes(text)) {
    const ems = clusterEms(cluster);
    if (/^[\s-]/.test(cluster)) word = 0;
    else if (isEmoji(cluster) || (square.test(cluster) && !hangul.test(cluster))) {
      widest = Math.max(widest, ems);
      word = 0;
    } else {
      word += ems;
      widest = Math.max(widest, word);
    }
  }
  return widest;
}

const square = /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f000}-\u{3ffff}]/u;
/** Square, but words are broken at spaces only. */
const hangul = /^[\u1100-\u11ff\uac00-\ud7a3]/;
/** Scripts whose letters are wider than Latin ones, and whose clusters have several letters side by side. */
const widest = /^[\p{Script=Tamil}\p{Script=Malayalam}\p{Script=Sinhala}]/u;
const wide =
  /^[\p{Script=Armenian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Georgian}\p{Script=Myanmar}\p{Script=Ethiopic}\p{Script=Khmer}]/u;

function clusterEms(cluster: string): number {
  if (cluster.length === 1 && cluster < '\u0080') return letterEms(cluster);
  if (isEmoji(cluster)) return 1.25;
  if (square.test(cluster)) return 1;
  if (widest.test(cluster)) return 0.95 * lettersIn(cluster);
  if (wide.test(cluster)) return 0.75 * lettersIn(cluster);
  return letterEms(cluster);
}

function letterEms(cluster: string): number {
  if (/^[\siljtfrI.,:;'!|()[\]]/u.test(cluster)) return 0.36;
  if (/^[mwMW@%]/u.test(cluster)) return 0.95;
  if (/^[\u0410-\u042f]/.test(cluster)) return 0.8;
  if (/^\p{Lu}/u.test(cluster)) return 0.7;
  return 0.6;
}

/** Returns the number of letters and vowels that stand beside each other in a cluster. */
function lettersIn(cluster: string): number {
  return cluster.match(/[\p{L}\p{Mc}]/gu)?.length ?? 1;
}

/** Text as grapheme clusters: splitting, tidying, truncating, and estimating its width without a font. */

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Far more than fits on the screen at the smallest size. Keeps jobs small and segmentation fast. */
const clustersMax = 1000;
const unitsMax = 16_000;
/** Meaningful clusters (a region's flag, a family) have fewer than 30 code units; longer ones are marks stacked on one letter. */
const clusterUnitsMax = 64;

const loneSurrogate = /\p{Surrogate}/gu;

/** Returns the grapheme clusters of a text, in order. @param max maximum number of clusters: each takes about 10 µs of the caller's event loop */
export function graphemes(text: string, max = Infinity): string[] {
  const clusters: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    if (clusters.length >= max) break;
    clusters.push(segment);
  }
  return clusters;
}

/**
 * Returns a text that can be drawn: composed (NFC), at most four marks per letter, no control characters, no lone surrogates, no white space at the
 * ends of lines, at most one empty line in a row, at most 1,000 grapheme clusters (truncated with an ellipsis).
 * Returns '' if nothing visible is left.
 */
export function tidyText(text: string): string {
  const tidy = text
    .slice(0, unitsMax)
    .replace(loneSurrogate, '\ufffd')
    .replace(/\r\n?|[\u2028\u2029\u0085\v\f]/g, '\n')
    .replace(/\t/g, ' ')
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufeff\ufffe\uffff]/g, '')
    .normalize('NFC')
    .replace(/(\p{M}{4})\p{M}+/gu, '$1')
    .replace(/[^\S\n]+/g, (space) => (space.includes('\u00a0') ? '\u00a0' : ' '))
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  // One cluster more than is kept shows that the text is longer.
  const clusters = graphemes(tidy, clustersMax + 1).map((cluster) =>
    cluster.length > clusterUnitsMax ? cluster.slice(0, clusterUnitsMax).replace(loneSurrogate, '') : cluster,
  );
  // Truncation to `unitsMax` may have split the last cluster.
  const whole = text.length > unitsMax ? clusters.length - 1 : clusters.length;
  const kept = Math.min(whole, clustersMax) < clusters.length ? withEllipsis(clusters.slice(0, Math.min(whole, clustersMax))) : clusters.join('');
  return hasInk(kept) ? kept : '';
}

/** Joins the clusters and appends an ellipsis, without space before it. */
export function withEllipsis(clusters: string[]): string {
  return clusters.join('').trimEnd() + '…';
}

export function isEmoji(cluster: string): boolean {
  return /^\p{Emoji_Presentation}|^\p{Regional_Indicator}{2}|\u20e3$/u.test(cluster) || /^\p{Extended_Pictographic}.*[\ufe0f\u200d]/u.test(cluster);
}

/** Estimates the width of the text on one line, in units of the font size. Rarely underestimates. */
export function textEms(text: string): number {
  let ems = 0;
  for (const cluster of graphemes(text)) ems += clusterEms(cluster);
  return ems;
}

/** Estimates the width of the widest unbreakable part of the text, in units of the font size. */
export function widestWordEms(text: string): number {
  let widest = 0;
  let word = 0;
  for (const cluster of graphemes(text)) {
    const ems = clusterEms(cluster);
    if (/^[\s-]/.test(cluster)) word = 0;
    else if (ems >= 1) {
      widest = Math.max(widest, ems);
      word = 0;
    } else {
      word += ems;
      widest = Math.max(widest, word);
    }
  }
  return widest;
}

function clusterEms(cluster: string): number {
  if (isEmoji(cluster)) return 1.25;
  if (/^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f000}-\u{3ffff}]/u.test(cluster)) return 1;
  if (/^[\siljtfrI.,:;'!|()[\]]/u.test(cluster)) return 0.36;
  if (/^[mwMW@%]/u.test(cluster)) return 0.95;
  if (/^\p{Lu}/u.test(cluster)) return 0.7;
  return 0.6;
}

function hasInk(text: string): boolean {
  return /[^\s\p{Cf}\p{Mn}\p{Me}\u115f\u1160\u3164\uffa0\u2800]/u.test(text);
}

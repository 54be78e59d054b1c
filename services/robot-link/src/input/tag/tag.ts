/** A tag or card near the head: what it is and what is written on it. */
import type { InputOf } from '@perch/schema';
import { graphemes } from '@perch/screen';
import { eventBytesMax } from '@perch/store';
import { ndefText } from './ndef.js';

/** Code units of the longest grapheme cluster that is kept whole. */
const clusterUnits = 64;

/** Data of the event `tag`; the text is cut between grapheme clusters to what an event can carry (about 1,000 bytes) and left out where there is none. */
export function tagData({ uid, type, ndef_b64: ndef }: InputOf<'nfc_in'>): Record<string, unknown> {
  const data: Record<string, unknown> = type === undefined ? { uid } : { uid, type };
  const text = ndef === undefined ? null : ndefText(ndef);
  if (text === null) return data;
  const room = eventBytesMax - Buffer.byteLength(JSON.stringify({ ...data, text: '' }));
  const cut = cutTo(text, room);
  return cut === '' ? data : { ...data, text: cut };
}

/** @param bytesMax of the text as JSON */
function cutTo(text: string, bytesMax: number): string {
  if (jsonBytes(text) <= bytesMax) return text;
  let kept = '';
  let left = bytesMax;
  // A code unit is at least a byte.
  for (const cluster of graphemes(text.slice(0, bytesMax + clusterUnits))) {
    left -= jsonBytes(cluster);
    if (left < 0) break;
    kept += cluster;
  }
  return kept;
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

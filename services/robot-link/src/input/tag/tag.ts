import type { InputOf } from '@perch/schema';
import { graphemes } from '@perch/screen';
import { eventBytesMax } from '@perch/store';
import { ndefText } from './ndef.js';

/** Code units of the longest grapheme cluster that is not split. */
const clusterUnits = 64;

/** The text is cut between grapheme clusters to the size limit of an event (about 1,000 bytes) and omitted if there is none. */
export function tagData({ uid, type, ndef_b64: ndef }: InputOf<'nfc_in'>): Record<string, unknown> {
  const data: Record<string, unknown> = type === undefined ? { uid } : { uid, type };
  const text = ndef === undefined ? null : ndefText(ndef);
  if (text === null) return data;
  const room = eventBytesMax - Buffer.byteLength(JSON.stringify({ ...data, text: '' }));
  const cut = cutTo(text, room);
  return cut === '' ? data : { ...data, text: cut };
}

function cutTo(text: string, bytesMax: number): string {
  if (jsonBytes(text) <= bytesMax) return text;
  let kept = '';
  let left = bytesMax;
  // A code unit takes at least a byte.
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

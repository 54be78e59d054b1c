import type { InputOf } from '@perch/schema';
import { graphemes } from '@perch/screen';
import { eventBytesMax } from '@perch/store';
import { ndefText } from './ndef.js';

/** Code units of the longest grapheme cluster that is not split. */
const clusterUnits = 64;

/** Robots write a uid with upper-case digits and separators or without; events have one form, which programs compare. */
export function canonicalUid(uid: string): string {
  return uid.replace(/[^0-9a-f]/gi, '').toLowerCase();
}

/** The text is cut between grapheme clusters to the size limit of an event (about 1,000 bytes) and omitted if there is none. */
export function tagData({ uid, type, ndef_b64: ndef }: InputOf<'nfc_in'>): Record<string, unknown> {
  const data: Record<string, unknown> = { uid: canonicalUid(uid), ...(type !== undefined && { type }) };
  const text = ndef === undefined ? null : ndefText(ndef);
  if (text === null) return data;
  const whole = { ...data, text };
  if (jsonBytes(whole) <= eventBytesMax) return whole;
  const truncated = ['text'];
  return { ...data, text: cutTo(text, eventBytesMax - jsonBytes({ ...data, text: '', truncated })), truncated };
}

function cutTo(text: string, bytesMax: number): string {
  let kept = '';
  let left = bytesMax;
  // A code unit takes at least a byte.
  for (const cluster of graphemes(text.slice(0, bytesMax + clusterUnits))) {
    left -= jsonBytes(cluster) - 2;
    if (left < 0) break;
    kept += cluster;
  }
  return kept;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

import type { InputOf } from '@perch/schema';
import { graphemes } from '@perch/screen';
import { eventBytesMax } from '@perch/store';
import { TextDecoder } from 'node:util';

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

// NDEF messages of NFC stickers (NFC Forum: NDEF 1.0, URI, Text and Smart Poster RTD 1.0). Never throws: broken records have no text.

/** Prefixes of links, by their code: URI RTD, table 3. */
const uriPrefixes = [
  '',
  'http://www.',
  'https://www.',
  'http://',
  'https://',
  'tel:',
  'mailto:',
  'ftp://anonymous:anonymous@',
  'ftp://ftp.',
  'ftps://',
  'sftp://',
  'smb://',
  'nfs://',
  'ftp://',
  'dav://',
  'news:',
  'telnet://',
  'imap:',
  'rtsp://',
  'urn:',
  'pop:',
  'sip:',
  'sips:',
  'tftp:',
  'btspp://',
  'btl2cap://',
  'btgoep://',
  'tcpobex://',
  'irdaobex://',
  'file://',
  'urn:epc:id:',
  'urn:epc:tag:',
  'urn:epc:pat:',
  'urn:epc:raw:',
  'urn:epc:',
  'urn:nfc:',
];

const flags = { end: 0x40, chunk: 0x20, short: 0x10, id: 0x08, format: 0x07 };
const formats = { wellKnown: 1, media: 2, uri: 3, unchanged: 6 };
const textFlags = { utf16: 0x80, languageLength: 0x3f };

const utf8 = new TextDecoder('utf-8', { fatal: true });
const utf16be = new TextDecoder('utf-16be', { fatal: true });
const utf16le = new TextDecoder('utf-16le', { fatal: true });

interface NdefRecord {
  format: number;
  type: string;
  payload: Buffer;
}

/**
 * Returns the first link or text (for a smart poster its link, else its title). @param base64 the message, or memory of the tag that has it in a TLV:
 * from page 0, or from the first data page (4) on
 */
export function ndefText(base64: string): string | null {
  for (const record of records(messageOf(Buffer.from(base64, 'base64')))) {
    const text = recordText(record) ?? posterText(record);
    if (text !== null) return text;
  }
  return null;
}

/** Types of the blocks in a tag's memory (NFC Forum: Type 2 Tag 1.1, 2.3). */
const blocks = { nothing: 0x00, locks: 0x01, reserved: 0x02, message: 0x03, proprietary: 0xfd };
/** Page 3 of a Type 2 tag is the capability container: a magic number, the version 1.x, the size of the data in units of 8 bytes. */
const container = { at: 12, magic: 0xe1, major: 1 };
const dataAt = 16;

/**
 * Returns the content of the first NDEF TLV, without the bytes that blocks before it reserve. A message begins with a byte that none of the blocks has
 * as its type, and is returned as it is.
 */
function messageOf(bytes: Buffer): Buffer {
  const [magic, version = 0] = bytes.subarray(container.at);
  if (magic === container.magic && version >> 4 === container.major && hasUidChecks(bytes))
    return messageIn(bytes.subarray(dataAt)) ?? Buffer.alloc(0);
  const first = bytes[0] ?? blocks.proprietary + 1;
  if (first > blocks.message && first !== blocks.proprietary) return bytes;
  return messageIn(bytes) ?? bytes;
}

/** The first two pages have the uid with two check bytes: an NDEF message that has the magic number at that place does not fit them. */
function hasUidChecks(bytes: Buffer): boolean {
  const check = (from: number, to: number, first: number): number => bytes.subarray(from, to).reduce((value, byte) => value ^ byte, first);
  return check(0, 3, 0x88) === bytes[3] && check(4, 8, 0) === bytes[8];
}

/** @param data memory from the first data page on */
function messageIn(data: Buffer): Buffer | null {
  const memory = new TagMemory(data);
  for (;;) {
    const type = memory.byte();
    if (type === blocks.nothing) continue;
    if (type === undefined || (type > blocks.message && type !== blocks.proprietary)) return null;
    const short = memory.byte() ?? 0;
    const content = memory.bytes(short === 0xff ? (memory.bytes(2)?.readUInt16BE() ?? 0) : short);
    if (content === null || type === blocks.message) return content;
    if (type !== blocks.proprietary) memory.reserve(type, content);
  }
}

/** Reads the data area one byte after the other, past those that the tag has reserved. */
class TagMemory {
  readonly #data: Buffer;
  readonly #reserved = new Set<number>();
  #at = 0;

  constructor(data: Buffer) {
    this.#data = data;
  }

  byte(): number | undefined {
    while (this.#reserved.has(this.#at)) this.#at += 1;
    const byte = this.#data[this.#at];
    this.#at += 1;
    return byte;
  }

  bytes(count: number): Buffer | null {
    const bytes = Array.from({ length: Math.min(count, this.#data.length) }, () => this.byte());
    return bytes.length < count || bytes.includes(undefined) ? null : Buffer.from(bytes as number[]);
  }

  /** @param content page and byte, size (bits of locks, else bytes; 0 is 256), and the exponent of the page's size; counted from page 0 */
  reserve(type: number, content: Buffer): void {
    const [place, size, page] = content;
    if (content.length !== 3 || place === undefined || size === undefined || page === undefined) return;
    const count = size === 0 ? 256 : size;
    const from = (place >> 4) * 2 ** (page & 0x0f) + (place & 0x0f) - dataAt;
    for (let i = 0; i < (type === blocks.locks ? Math.ceil(count / 8) : count); i += 1) this.#reserved.add(from + i);
  }
}

/** Yields whole records: chunks are joined, and a record whose chunks are not complete is left out. */
function* records(message: Buffer): Generator<NdefRecord> {
  let chunks: NdefRecord | null = null;
  for (const { isChunk, ...record } of storedRecords(message)) {
    if ((chunks === null) === (record.format === formats.unchanged)) return;
    const whole: NdefRecord = chunks === null ? record : { ...chunks, payload: Buffer.concat([chunks.payload, record.payload]) };
    chunks = isChunk ? whole : null;
    if (!isChunk) yield whole;
  }
}

function* storedRecords(message: Buffer): Generator<NdefRecord & { isChunk: boolean }> {
  for (let at = 0; at + 3 <= message.length;) {
    const head = message.readUInt8(at);
    const typeLength = message.readUInt8(at + 1);
    const lengthBytes = head & flags.short ? 1 : 4;
    const idAt = at + 2 + lengthBytes;
    const typeAt = head & flags.id ? idAt + 1 : idAt;
    if (typeAt > message.length) return;
    const idLength = head & flags.id ? message.readUInt8(idAt) : 0;
    const payloadAt = typeAt + typeLength + idLength;
    const end = payloadAt + message.readUIntBE(at + 2, lengthBytes);
    if (end > message.length) return;
    const type = message.toString('latin1', typeAt, typeAt + typeLength);
    yield { isChunk: (head & flags.chunk) !== 0, format: head & flags.format, type, payload: message.subarray(payloadAt, end) };
    if (head & flags.end) return;
    at = end;
  }
}

function recordText(record: NdefRecord): string | null {
  const { format, type, payload } = record;
  if (format === formats.wellKnown && type === 'U') return linkOf(payload);
  if (format === formats.wellKnown && type === 'T') return textOf(payload);
  if (format === formats.uri) return useful(decode(utf8, Buffer.from(type, 'latin1')));
  if (format === formats.media && /^text\/plain\s*(;|$)/i.test(type)) return useful(decode(utf8, payload));
  return null;
}

function posterText({ format, type, payload }: NdefRecord): string | null {
  if (format !== formats.wellKnown || type !== 'Sp') return null;
  let title: string | null = null;
  for (const record of records(payload)) {
    const text = recordText(record);
    if (text !== null && record.type !== 'T') return text;
    title ??= text;
  }
  return title;
}

function linkOf(payload: Buffer): string | null {
  const prefix = uriPrefixes[payload[0] ?? -1];
  const rest = decode(utf8, payload.subarray(1));
  return prefix === undefined || rest === null ? null : useful(prefix + rest);
}

function textOf(payload: Buffer): string | null {
  const status = payload[0];
  if (status === undefined) return null;
  const textAt = 1 + (status & textFlags.languageLength);
  if (textAt > payload.length) return null;
  const text = payload.subarray(textAt);
  if (!(status & textFlags.utf16)) return useful(decode(utf8, text));
  // UTF-16 without a byte order mark is big-endian.
  return useful(decode(text[0] === 0xff && text[1] === 0xfe ? utf16le : utf16be, text));
}

function decode(decoder: TextDecoder, bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function useful(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text;
}

/** NDEF messages of NFC stickers (NFC Forum: NDEF 1.0, URI, Text and Smart Poster RTD 1.0). Never throws: broken or chunked records have no text. */
import { TextDecoder } from 'node:util';

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
const formats = { wellKnown: 1, media: 2, uri: 3 };
const textFlags = { utf16: 0x80, languageLength: 0x3f };

const utf8 = new TextDecoder('utf-8', { fatal: true });
const utf16be = new TextDecoder('utf-16be', { fatal: true });
const utf16le = new TextDecoder('utf-16le', { fatal: true });

interface NdefRecord {
  format: number;
  type: string;
  payload: Buffer;
}

/** Returns the first link or text (for a smart poster its link, else its title). @param base64 the message, or memory that has it in a TLV */
export function ndefText(base64: string): string | null {
  for (const record of records(messageOf(Buffer.from(base64, 'base64')))) {
    const text = recordText(record) ?? posterText(record);
    if (text !== null) return text;
  }
  return null;
}

/** Types of the blocks in a tag's memory (NFC Forum: Type 2 Tag 1.1, 2.3). */
const blocks = { nothing: 0x00, message: 0x03, proprietary: 0xfd };

/** Returns the content of the first NDEF TLV. A message begins with a byte that none of the blocks has as its type, and is returned as it is. */
function messageOf(bytes: Buffer): Buffer {
  const first = bytes[0] ?? blocks.proprietary + 1;
  if (first > blocks.message && first !== blocks.proprietary) return bytes;
  for (let at = 0; at < bytes.length;) {
    const type = bytes.readUInt8(at);
    if (type === blocks.nothing) {
      at += 1;
      continue;
    }
    const isLong = bytes[at + 1] === 0xff;
    const contentAt = at + (isLong ? 4 : 2);
    const length = isLong ? (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0) : bytes[at + 1];
    if (length === undefined || (type > blocks.message && type !== blocks.proprietary) || contentAt + length > bytes.length) break;
    if (type === blocks.message) return bytes.subarray(contentAt, contentAt + length);
    at = contentAt + length;
  }
  return bytes;
}

function* records(message: Buffer): Generator<NdefRecord> {
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
    const format = head & flags.format;
    if (!(head & flags.chunk)) {
      yield { format, type: message.toString('latin1', typeAt, typeAt + typeLength), payload: message.subarray(payloadAt, end) };
    }
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

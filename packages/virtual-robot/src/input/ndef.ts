/** Encodes NDEF messages of one record (NFC Forum: NDEF 1.0, URI RTD 1.0, Text RTD 1.0). */

/** Abbreviations of URI RTD table 3, by code. */
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

export function ndefUri(uri: string): Uint8Array {
  let code = 0;
  for (const [candidate, prefix] of uriPrefixes.entries()) {
    if (uri.startsWith(prefix) && prefix.length > (uriPrefixes[code] as string).length) code = candidate;
  }
  return record('U', join(Uint8Array.of(code), utf8(uri.slice((uriPrefixes[code] as string).length))));
}

export function ndefText(text: string, language = 'en'): Uint8Array {
  const code = utf8(language);
  if (code.byteLength > 63) throw new RangeError('language: at most 63 bytes');
  return record('T', join(Uint8Array.of(code.byteLength), code, utf8(text)));
}

/** A short record up to 255 bytes of payload. */
function record(type: string, payload: Uint8Array): Uint8Array {
  const begin = 0x80,
    end = 0x40,
    short = 0x10,
    wellKnown = 0x01;
  const isShort = payload.byteLength <= 255;
  const length = new Uint8Array(isShort ? 1 : 4);
  if (isShort) length[0] = payload.byteLength;
  else new DataView(length.buffer).setUint32(0, payload.byteLength);
  return join(Uint8Array.of(begin | end | wellKnown | (isShort ? short : 0), type.length), length, utf8(type), payload);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function join(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

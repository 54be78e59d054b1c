import assert from 'node:assert/strict';
import { ndefText as textMessage, ndefUri } from '@perch/virtual-robot';
import fc from 'fast-check';
import { ndefText } from '../src/input/tag.js';

interface RecordParts {
  format?: number;
  type: string;
  payload: Uint8Array;
  id?: string;
  long?: boolean;
  chunk?: boolean;
}

function message(...parts: RecordParts[]): Buffer {
  return Buffer.concat(
    parts.map(({ format = 1, type, payload, id, long = payload.length > 255, chunk = false }, i) => {
      const head =
        (i === 0 ? 0x80 : 0) | (i === parts.length - 1 ? 0x40 : 0) | (chunk ? 0x20 : 0) | (long ? 0 : 0x10) | (id === undefined ? 0 : 8) | format;
      const length = Buffer.alloc(long ? 4 : 1);
      length.writeUIntBE(payload.length, 0, length.length);
      const ids = id === undefined ? [] : [Buffer.from([id.length])];
      return Buffer.concat([Buffer.from([head, type.length]), length, ...ids, Buffer.from(type), Buffer.from(id ?? ''), payload]);
    }),
  );
}

const read = (bytes: Uint8Array): string | null => ndefText(Buffer.from(bytes).toString('base64'));
const uri = (code: number, rest: string): RecordParts => ({ type: 'U', payload: Buffer.concat([Buffer.from([code]), Buffer.from(rest)]) });
const text = (status: number, language: string, body: Uint8Array): RecordParts => ({
  type: 'T',
  payload: Buffer.concat([Buffer.from([status | language.length]), Buffer.from(language), body]),
});
const utf8 = (body: string): RecordParts => text(0, 'en', Buffer.from(body));
const utf16 = (body: string, littleEndian: boolean): Buffer => {
  const bytes = Buffer.from(body, 'utf16le');
  return littleEndian ? bytes : bytes.swap16();
};

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }).filter((word) => word.trim() !== '' && !word.startsWith('\ufeff'));

describe('ndefText', () => {
  it('returns the whole link for each abbreviation', () => {
    const prefixes: [number, string][] = [
      [0, ''],
      [1, 'http://www.'],
      [2, 'https://www.'],
      [3, 'http://'],
      [4, 'https://'],
      [5, 'tel:'],
      [6, 'mailto:'],
      [29, 'file://'],
      [35, 'urn:nfc:'],
    ];
    for (const [code, prefix] of prefixes) assert.equal(read(message(uri(code, 'example.org/ä'))), `${prefix}example.org/ä`);
    for (let code = 1; code <= 35; code += 1) assert.match(read(message(uri(code, 'x'))) ?? '', /^[a-z0-9+:/.@]{2,}x$/);
    assert.equal(read(message(uri(36, 'example.org'))), null);
  });

  it('reads links and texts of any length and script from messages of another encoder', () => {
    fc.assert(
      fc.property(words, (word) => {
        assert.equal(read(textMessage(word, 'de-CH')), word);
        assert.equal(read(ndefUri(`https://www.example.org/${word}`)), `https://www.example.org/${word}`);
      }),
    );
  });

  it('reads a message inside a TLV, after other blocks, with a short and a long length', () => {
    const long = `https://example.org/${'a'.repeat(300)}`;
    const lockAndMemory = [0x00, 0x01, 0x03, 0xe8, 0x0e, 0x66, 0x02, 0x03, 0xf0, 0x02, 0x08, 0xfd, 0x01, 0x07];
    for (const [link, length] of [
      ['https://perch.test', (bytes: number) => [bytes]],
      [long, (bytes: number) => [0xff, bytes >> 8, bytes & 0xff]],
    ] as const) {
      const inside = ndefUri(link);
      for (const before of [[], [0x00, 0x00], lockAndMemory]) {
        const memory = Buffer.from([...before, 0x03, ...length(inside.length), ...inside, 0xfe, 0x00, 0x00]);
        assert.equal(read(memory), link);
      }
    }
    const cut = Buffer.from([0x03, 0x40, ...ndefUri('https://perch.test')]);
    assert.equal(read(cut), null);
    assert.equal(read(Buffer.from([0x03, 0x00, 0xfe])), null);
  });

  it('reads a text in UTF-16 in both byte orders, big-endian without a byte order mark', () => {
    fc.assert(
      fc.property(words, (word) => {
        assert.equal(read(message(text(0x80, 'ja', utf16(word, false)))), word);
        assert.equal(read(message(text(0x80, 'ja', utf16(`\ufeff${word}`, false)))), word);
        assert.equal(read(message(text(0x80, '', utf16(`\ufeff${word}`, true)))), word);
      }),
    );
  });

  it('returns the first record with content, with or without ids and short lengths', () => {
    const external: RecordParts = { format: 4, type: 'android.com:pkg', payload: Buffer.from('org.example') };
    const empty: RecordParts = { format: 0, type: '', payload: Buffer.alloc(0) };
    assert.equal(read(message(external, empty, uri(0, ''), utf8('  '), { ...utf8('one'), id: 'a', long: true }, uri(4, 'two'))), 'one');
  });

  it('returns the link of a smart poster, else its title', () => {
    const poster = (...parts: RecordParts[]): Buffer => message({ type: 'Sp', payload: message(...parts) });
    assert.equal(read(poster(utf8('Title'), uri(4, 'example.org'), { type: 'act', payload: Buffer.from([0]) })), 'https://example.org');
    assert.equal(read(poster({ type: 'act', payload: Buffer.from([0]) }, utf8('Title'), utf8('Titel'))), 'Title');
    assert.equal(read(poster({ type: 'Sp', payload: poster(uri(4, 'a')) })), null);
  });

  it('returns an absolute link or plain text', () => {
    assert.equal(read(message({ format: 3, type: 'https://example.org/a', payload: Buffer.alloc(0) })), 'https://example.org/a');
    assert.equal(read(message({ format: 2, type: 'text/plain;charset=utf-8', payload: Buffer.from('hë') })), 'hë');
    assert.equal(read(message({ format: 2, type: 'text/vcard', payload: Buffer.from('BEGIN:VCARD') })), null);
  });

  it('returns nothing for text that is not in its encoding, a language longer than the record, and chunks without an end', () => {
    assert.equal(read(message(text(0, 'en', Buffer.from([0xff, 0xfe, 0x41])))), null);
    assert.equal(read(message(text(0x80, 'en', Buffer.from([0xd8, 0x00, 0x00])))), null);
    assert.equal(read(message({ type: 'T', payload: Buffer.from([0x3f, 0x65]) })), null);
    assert.equal(read(message({ type: 'T', payload: Buffer.alloc(0) })), null);
    assert.equal(read(message({ type: 'U', payload: Buffer.alloc(0) })), null);
    assert.equal(read(message({ ...utf8('part'), chunk: true })), null);
  });

  it('joins the chunks of a record, as the NDEF specification 1.0 describes them in 2.3.3', () => {
    fc.assert(
      fc.property(words, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), (word, places) => {
        const { type, payload } = uri(4, word);
        const cuts = [0, ...places.map((place) => place % payload.length).toSorted((a, b) => a - b), payload.length];
        const parts = cuts.slice(1).map((end, i): RecordParts => ({
          format: i === 0 ? 1 : 6,
          type: i === 0 ? type : '',
          payload: payload.subarray(cuts[i], end),
          chunk: i < cuts.length - 2,
        }));
        assert.equal(read(message(...parts)), `https://${word}`);
        assert.equal(read(message({ format: 4, type: 'a.b:c', payload: Buffer.from('x') }, ...parts, utf8('next'))), `https://${word}`);
      }),
    );
    const first: RecordParts = { ...utf8('a'), chunk: true };
    assert.equal(read(message(first, utf8('b'))), null);
    assert.equal(read(message({ format: 6, type: '', payload: Buffer.from('b') })), null);
  });

  /** Layout of an NTAG213 as nfcpy 1.0.4 reads it (src/nfc/tag/tt2.py): capability container in page 3, data from page 4, lock and memory TLVs. */
  const dump = (data: readonly number[], size = 0x12): Buffer => {
    const uid = [0x04, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6];
    const check = (bytes: readonly number[], first: number): number => bytes.reduce((value, byte) => value ^ byte, first);
    const pages = [...uid.slice(0, 3), check(uid.slice(0, 3), 0x88), ...uid.slice(3), check(uid.slice(3), 0), 0x48, 0, 0, 0xe1, 0x10, size, 0];
    return Buffer.from([...pages, ...data, ...Array.from({ length: Math.max(0, size * 8 - data.length) }, () => 0)]);
  };

  it('reads the memory of a tag from page 0 on', () => {
    const inside = ndefUri('https://perch.test/a');
    const locks = [0x01, 0x03, 0xa0, 0x0c, 0x34];
    assert.equal(read(dump([...locks, 0x03, inside.length, ...inside, 0xfe])), 'https://perch.test/a');
    assert.equal(read(dump([0x03, inside.length, ...inside, 0xfe])), 'https://perch.test/a');
    assert.equal(read(dump([])), null);
    const withoutMagic = dump([0x03, inside.length, ...inside, 0xfe]);
    withoutMagic[12] = 0;
    assert.equal(read(withoutMagic), null);
  });

  it('leaves out the bytes that a tag has reserved in the midst of a message', () => {
    const inside = [...ndefUri('https://perch.test/reserved')];
    // Pages of 16 bytes: 12 bits of locks at page 2, byte 8, which is byte 24 of the data, and 4 reserved bytes at page 2, byte 12.
    const blocks = [0x01, 0x03, 0x28, 0x0c, 0x04, 0x02, 0x03, 0x2c, 0x04, 0x04, 0x03, inside.length];
    const at = 24 - blocks.length;
    const data = [...blocks, ...inside.slice(0, at), 0xbd, 0xbd, ...inside.slice(at, at + 2), 0xbd, 0xbd, 0xbd, 0xbd, ...inside.slice(at + 2), 0xfe];
    assert.equal(read(dump(data)), 'https://perch.test/reserved');
    assert.equal(read(Buffer.from(data)), 'https://perch.test/reserved');
  });

  it('returns nothing of a record that is cut off anywhere', () => {
    fc.assert(
      fc.property(words, fc.boolean(), fc.nat(), (word, long, at) => {
        const whole = message({ ...utf8(word), long, id: 'x' });
        assert.equal(read(whole.subarray(0, at % whole.length)), null);
      }),
    );
  });

  it('returns a text that is not blank, or nothing, for any bytes and any text in place of base64, and never throws', () => {
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64')),
      fc.tuple(words, fc.nat(), fc.nat(255)).map(([word, at, value]) => {
        const bytes = message({ type: 'Sp', payload: message(utf8(word), uri(4, word)) });
        bytes[at % Math.min(bytes.length, 12)] = value;
        return bytes.toString('base64');
      }),
      fc.string(),
    );
    fc.assert(
      fc.property(garbage, (base64) => {
        const found = ndefText(base64);
        assert.ok(found === null || found.trim().length > 0);
      }),
      { numRuns: 2000 },
    );
  });
});

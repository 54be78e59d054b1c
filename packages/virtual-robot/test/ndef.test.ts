import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ndefText, ndefUri } from '../src/index.js';

const prefixes: Record<number, string> = { 0: '', 1: 'http://www.', 2: 'https://www.', 3: 'http://', 4: 'https://', 5: 'tel:', 6: 'mailto:' };

function record(message: Uint8Array): { type: string; payload: Buffer } {
  const bytes = Buffer.from(message);
  const header = bytes.readUInt8(0);
  assert.equal(header & 0xef, 0xc1, 'one well-known record that begins and ends the message, neither chunked nor with an id');
  const isShort = (header & 0x10) !== 0;
  const length = isShort ? bytes.readUInt8(2) : bytes.readUInt32BE(2);
  const at = isShort ? 3 : 6;
  assert.equal(bytes.length, at + 1 + length);
  return { type: bytes.toString('latin1', at, at + 1), payload: bytes.subarray(at + 1) };
}

describe('NDEF messages', () => {
  it('encodes any text in UTF-8 with its language', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.constantFrom('en', 'de', 'ja-JP'), (text, language) => {
        const { type, payload } = record(ndefText(text, language));
        const languageLength = (payload[0] as number) & 0x3f;
        assert.equal(type, 'T');
        assert.equal((payload[0] as number) & 0x80, 0);
        assert.equal(payload.toString('utf8', 1, 1 + languageLength), language);
        assert.equal(payload.toString('utf8', 1 + languageLength), text);
      }),
    );
  });

  it('encodes any URI', () => {
    const uri = fc
      .tuple(fc.constantFrom('', 'https://', 'https://www.', 'http://', 'tel:', 'mailto:', 'perch:'), fc.string({ unit: 'grapheme', maxLength: 300 }))
      .map(([prefix, rest]) => prefix + rest);
    fc.assert(
      fc.property(uri, (link) => {
        const { type, payload } = record(ndefUri(link));
        const prefix = prefixes[payload[0] as number];
        fc.pre(prefix !== undefined);
        assert.equal(type, 'U');
        assert.equal(prefix + payload.toString('utf8', 1), link);
      }),
    );
  });

  it('abbreviates a URI by the longest prefix in the table', () => {
    assert.equal(record(ndefUri('https://www.example.org')).payload[0], 2);
    assert.equal(record(ndefUri('https://example.org')).payload[0], 4);
  });

  it('uses short records up to 255 bytes of payload, and long ones beyond', () => {
    assert.equal((ndefText('x'.repeat(252))[0] as number) & 0x10, 0x10);
    assert.equal((ndefText('x'.repeat(253))[0] as number) & 0x10, 0);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RequestReader } from '../src/redis-requests.js';

function encoded(request: readonly string[]): Buffer {
  return Buffer.from(`*${request.length}\r\n${request.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`);
}

describe('RequestReader', () => {
  it("parses each request's name and first argument, however the stream is split", () => {
    const request = fc.array(fc.string({ maxLength: 40, unit: 'grapheme-ascii' }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 6 }), fc.array(fc.nat(400), { maxLength: 8 }), (requests, cuts) => {
        const bytes = Buffer.concat(requests.map(encoded));
        const read: string[][] = [];
        const reader = new RequestReader((name, first) => read.push([name, first]));
        const at = [...new Set(cuts.filter((cut) => cut < bytes.length))].toSorted((a, b) => a - b);
        for (const [i, cut] of [0, ...at].entries()) reader.read(bytes.subarray(cut, at[i] ?? bytes.length));
        assert.deepEqual(
          read,
          requests.map(([name = '', first = '']) => [name.toLowerCase(), first]),
        );
      }),
    );
  });

  it('throws on anything that is not a Redis request', () => {
    assert.throws(() => new RequestReader(() => {}).read(Buffer.from('PING\r\n')), /not a Redis request/);
  });
});

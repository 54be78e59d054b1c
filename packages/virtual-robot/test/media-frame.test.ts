import assert from 'node:assert/strict';
import fc from 'fast-check';
import { crc32, decodeFrame, encodeFrame } from '../src/index.js';

describe('binary frames', () => {
  it('decodes frames to what was encoded', () => {
    const frame = fc.record(
      {
        kind: fc.constantFrom('picture' as const, 'audio' as const),
        first: fc.boolean(),
        last: fc.boolean(),
        stream: fc.nat(0xffff),
        offset: fc.nat(0xffffffff),
        payload: fc.uint8Array({ maxLength: 100 }),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(frame, (given) => {
        assert.deepEqual(decodeFrame(encodeFrame(given)), given);
      }),
    );
  });

  it('encodes the header of the link: kind, flags, stream and offset, big-endian', () => {
    const bytes = encodeFrame({ kind: 'audio', first: true, last: true, stream: 0x0102, offset: 0x03040506, payload: Uint8Array.of(9) });
    assert.deepEqual([...bytes], [2, 3, 1, 2, 3, 4, 5, 6, 9]);
  });

  it('rejects frames that are too short, or have an unknown kind or unknown flags', () => {
    for (const bytes of [[], [1, 0, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 0, 0, 0], [1, 4, 0, 0, 0, 0, 0, 0]]) {
      assert.ok('problem' in decodeFrame(Uint8Array.from(bytes)));
    }
  });
});

describe('crc32', () => {
  it('computes the CRC-32 of IEEE 802.3, unsigned', () => {
    assert.equal(crc32(new TextEncoder().encode('123456789')), 0xcbf43926);
    assert.equal(crc32(new Uint8Array()), 0);
  });
});

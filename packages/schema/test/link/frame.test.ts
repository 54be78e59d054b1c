import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeFrame, encodeFrame, frameHeaderBytes, type MediaFrame } from '../../src/index.js';

const frame: fc.Arbitrary<MediaFrame> = fc.record({
  kind: fc.constantFrom('picture' as const, 'audio' as const),
  first: fc.boolean(),
  last: fc.boolean(),
  stream: fc.integer({ min: 0, max: 0xffff }),
  offset: fc.integer({ min: 0, max: 0xffff_ffff }),
  payload: fc.uint8Array({ maxLength: 300 }),
});

describe('binary frames', () => {
  it('decodes frames to what was encoded', () => {
    fc.assert(
      fc.property(frame, (sent) => {
        const decoded = decodeFrame(encodeFrame(sent));
        assert.ok(!('problem' in decoded));
        assert.deepEqual({ ...decoded, payload: [...decoded.payload] }, { ...sent, payload: [...sent.payload] });
      }),
    );
  });

  it('encodes the header of robot-link.md: kind, flags, stream, offset, big-endian', () => {
    const bytes = encodeFrame({ kind: 'audio', first: false, last: true, stream: 0x0102, offset: 0x03040506, payload: Uint8Array.of(9) });
    assert.deepEqual([...bytes], [2, 2, 1, 2, 3, 4, 5, 6, 9]);
    assert.deepEqual(
      [...encodeFrame({ kind: 'picture', first: true, last: false, stream: 0, offset: 0, payload: new Uint8Array() })],
      [1, 1, 0, 0, 0, 0, 0, 0],
    );
  });

  it('decodes a frame in the middle of a buffer without a copy', () => {
    const bytes = Buffer.concat([
      Buffer.alloc(5),
      encodeFrame({ kind: 'audio', first: true, last: false, stream: 7, offset: 8, payload: Uint8Array.of(1, 2) }),
    ]);
    const decoded = decodeFrame(bytes.subarray(5));
    assert.ok(!('problem' in decoded));
    assert.deepEqual([decoded.stream, decoded.offset, [...decoded.payload]], [7, 8, [1, 2]]);
    assert.equal(decoded.payload.buffer, bytes.buffer);
  });

  it('never throws for any bytes, and rejects short frames and unknown kinds', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        const fits = bytes.length >= frameHeaderBytes && (bytes[0] === 1 || bytes[0] === 2);
        assert.equal('problem' in decodeFrame(bytes), !fits);
      }),
    );
  });

  it('rejects a stream or offset that does not fit the header', () => {
    const sent: MediaFrame = { kind: 'audio', first: true, last: true, stream: 0, offset: 0, payload: new Uint8Array() };
    for (const wrong of [{ stream: 65_536 }, { stream: -1 }, { offset: 2 ** 32 }, { offset: -1 }]) {
      assert.throws(() => encodeFrame({ ...sent, ...wrong }), RangeError);
    }
  });
});

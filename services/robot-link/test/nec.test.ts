import assert from 'node:assert/strict';
import { necFrame, necRepeat } from '@perch/virtual-robot';
import fc from 'fast-check';
import { firstFrame, decodeNec, isNecRepeat } from '../src/input/remote.js';
import { necRaw } from './remote-frames.js';

const byte = fc.integer({ min: 0, max: 255 });
/** Addresses that are extended and cannot be mistaken for a short one with its inverse. */
const extended = fc.integer({ min: 256, max: 0xffff }).filter((address) => (address & 0xff) !== (~(address >> 8) & 0xff));
const address = fc.oneof(byte, extended);

/** Returns a relative error of up to `share` for each length; marks then get longer and spaces shorter, as with real receivers. */
const jitter = (share: number) => fc.infiniteStream(fc.double({ min: -share, max: share, noNaN: true }));
function distorted(raw: readonly number[], offs: Stream, stretchUs: number): number[] {
  return raw.map((us, i) => Math.round(us * (1 + (offs.next().value ?? 0))) + (i % 2 === 0 ? stretchUs : -stretchUs));
}
type Stream = Iterator<number>;

describe('decodeNec', () => {
  it('decodes every address and command with lengths 25 % off', () => {
    fc.assert(
      fc.property(address, byte, jitter(0.25), (of, command, offs) => {
        assert.deepEqual(decodeNec(distorted(necFrame(of, command), offs, 0)), { protocol: 'nec', address: of, command });
      }),
      { numRuns: 1000 },
    );
  });

  it('decodes codes of a receiver that stretches marks by up to 250 us, or shortens them by as much', () => {
    fc.assert(
      fc.property(address, byte, jitter(0.08), fc.integer({ min: -250, max: 250 }), (of, command, offs, stretch) => {
        assert.deepEqual(decodeNec(distorted(necFrame(of, command), offs, stretch)), { protocol: 'nec', address: of, command });
      }),
      { numRuns: 1000 },
    );
  });

  it('decodes a code that is followed by a gap, and rejects one that continues', () => {
    const frame = necFrame(4, 8);
    assert.deepEqual(decodeNec(firstFrame([...frame, 40_000, ...necRepeat()])), { protocol: 'nec', address: 4, command: 8 });
    assert.equal(decodeNec([...frame, 562, 562]), null);
    assert.equal(decodeNec(frame.slice(0, -2)), null);
  });

  it('recognizes the repeats of a held button', () => {
    fc.assert(fc.property(jitter(0.15), (offs) => assert.equal(isNecRepeat(distorted(necRepeat(), offs, 0)), true)));
    assert.equal(isNecRepeat(necFrame(4, 8)), false);
  });

  it('reads two bytes of command where the second one is not the inverse of the first, and then the address as it is', () => {
    fc.assert(
      fc.property(fc.nat(0xffff), fc.nat(0xffff), (of, command) => {
        fc.pre((command & 0xff) !== (~(command >> 8) & 0xff));
        assert.deepEqual(decodeNec(necRaw(of, command)), { protocol: 'nec16', address: of, command });
      }),
    );
  });

  it('rejects other protocols and noise', () => {
    const samsung = necFrame(7, 7).map((us, i) => (i === 0 ? 4500 : us));
    const sony = [2400, 600, 1200, 600, 600, 600, 1200, 600, 600, 600, 1200, 600, 600, 600, 600];
    assert.equal(decodeNec(samsung), null);
    assert.equal(decodeNec(sony), null);
    assert.equal(decodeNec([]), null);
    fc.assert(fc.property(fc.array(fc.nat(12_000), { minLength: 4, maxLength: 80 }), (raw) => decodeNec(raw) === null && !isNecRepeat(raw)));
  });
});

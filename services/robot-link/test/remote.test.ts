import assert from 'node:assert/strict';
import { eventBytesMax } from '@perch/store';
import { necFrame, necRepeat } from '@perch/virtual-robot';
import fc from 'fast-check';
import { remoteData } from '../src/remote.js';

describe('a remote', () => {
  it('gives address and command for NEC, nothing for the repeats of a held button, and the raw lengths for all else', () => {
    assert.deepEqual(remoteData(necFrame(4, 8)), { address: 4, command: 8 });
    assert.equal(remoteData(necRepeat()), null);
    assert.deepEqual(remoteData([2400.4, 600, 1200.5]), { raw: [2400, 600, 1201] });
  });

  it('gives as much of the raw lengths as an event can carry, a mark last', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 200_000, noNaN: true }), { minLength: 1, maxLength: 2048 }), (rawUs) => {
        const data = remoteData([1, ...rawUs]) as { raw: number[] };
        assert.ok(JSON.stringify(data).length <= eventBytesMax);
        assert.deepEqual(data.raw, [1, ...rawUs].slice(0, data.raw.length).map(Math.round));
        if (data.raw.length <= rawUs.length) {
          assert.equal(data.raw.length % 2, 1);
          assert.ok(data.raw.length > 120);
        }
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { eventBytesMax } from '@perch/store';
import { necFrame, necRepeat } from '@perch/virtual-robot';
import fc from 'fast-check';
import { remoteOf } from '../src/input/remote.js';

function remoteData(input: Parameters<typeof remoteOf>[0]): Record<string, unknown> | null {
  const remote = remoteOf(input);
  return remote === null || remote === 'repeat' ? null : remote.data;
}

describe('remoteOf', () => {
  it('returns address and command for NEC, nothing for the repeats of a held button, and a code and the raw lengths for all others', () => {
    assert.deepEqual(remoteData({ raw_us: necFrame(4, 8) }), { address: 4, command: 8 });
    assert.equal(remoteData({ raw_us: necRepeat() }), null);
    assert.deepEqual(remoteData({ raw_us: [2400.4, 600, 1200.5] }), { code: '4568b718181c937c', raw: [2400, 600, 1201] });
  });

  it('returns the address and command that the robot decoded, also beside the raw lengths', () => {
    assert.deepEqual(remoteData({ address: 4, command: 8 }), { address: 4, command: 8 });
    assert.deepEqual(remoteData({ raw_us: [1, 2, 3], address: 0xbf00, command: 0 }), { address: 0xbf00, command: 0 });
  });

  it('returns nec16 for the lengths that the robot program makes of a command of 16 bits', () => {
    // As in robots/micropython/perch/senses.py, which has the 32 bits from the firmware.
    const bits = 0xf608_fb04;
    const raw = [9000, 4500, ...Array.from({ length: 32 }, (_, i) => [560, (bits >>> i) & 1 ? 1690 : 560]).flat(), 560];
    assert.deepEqual(remoteData({ raw_us: raw }), { protocol: 'nec16', address: 0xfb04, command: 0xf608, raw });
  });

  it('returns as many of the raw lengths as fit into an event, ending with a mark, and names the cut', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 200_000, noNaN: true }), { minLength: 2, maxLength: 2048 }), (rawUs) => {
        const data = remoteData({ raw_us: [1, ...rawUs] }) as { raw: number[]; truncated?: string[] };
        assert.ok(JSON.stringify(data).length <= eventBytesMax);
        assert.deepEqual(data.raw, [1, ...rawUs].slice(0, data.raw.length).map(Math.round));
        assert.deepEqual(data.truncated, data.raw.length <= rawUs.length ? ['raw'] : undefined);
        if (data.raw.length <= rawUs.length) {
          assert.equal(data.raw.length % 2, 1);
          assert.ok(data.raw.length > 120);
        }
      }),
    );
  });

  it('returns 225 lengths of usual remotes whole', () => {
    const lengths = Array.from({ length: 225 }, (_, i) => (i % 6 === 3 ? 1290 : 430));
    assert.deepEqual(Object.keys(remoteData({ raw_us: lengths })!), ['code', 'raw']);
    assert.deepEqual(remoteData({ raw_us: [...lengths, ...lengths] })?.truncated, ['raw']);
  });
});

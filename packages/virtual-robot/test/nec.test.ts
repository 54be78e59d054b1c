import assert from 'node:assert/strict';
import fc from 'fast-check';
import { necFrame, necRepeat } from '../src/index.js';

/** With 25 % tolerance. */
function decode(raw: number[]): { address: number; command: number } | 'repeat' | null {
  const near = (us: number | undefined, wanted: number): boolean => us !== undefined && Math.abs(us - wanted) <= wanted * 0.25;
  if (!near(raw[0], 9000)) return null;
  if (raw.length === 3 && near(raw[1], 2250) && near(raw[2], 562)) return 'repeat';
  if (raw.length !== 67 || !near(raw[1], 4500)) return null;
  const octets = [0, 0, 0, 0];
  for (let bit = 0; bit < 32; bit += 1) {
    const space = raw[3 + 2 * bit];
    if (!near(raw[2 + 2 * bit], 562)) return null;
    if (near(space, 1687)) octets[bit >> 3] = (octets[bit >> 3] as number) | (1 << (bit & 7));
    else if (!near(space, 562)) return null;
  }
  const [low, high, command, inverse] = octets as [number, number, number, number];
  if ((command ^ inverse) !== 0xff) return null;
  return { address: (low ^ high) === 0xff ? low : low | (high << 8), command };
}

describe('NEC frames', () => {
  it('encodes any short address and command, decodable with up to 20 % error', () => {
    fc.assert(
      fc.property(
        fc.nat(255),
        fc.nat(255),
        fc.double({ min: 0, max: 0.2, noNaN: true }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (address, command, jitter, randoms) => {
          const random = (): number => randoms.next().value as number;
          assert.deepEqual(decode(necFrame(address, command, { jitter, random })), { address, command });
        },
      ),
    );
  });

  it('encodes any extended address that cannot be mistaken for a short one', () => {
    const extended = fc.integer({ min: 256, max: 65_535 }).filter((address) => ((address & 0xff) ^ (address >> 8)) !== 0xff);
    fc.assert(
      fc.property(extended, fc.nat(255), (address, command) => {
        assert.deepEqual(decode(necFrame(address, command)), { address, command });
      }),
    );
  });

  it('has 67 marks and spaces that last 67.5 ms for a short address', () => {
    const raw = necFrame(4, 8);
    assert.equal(raw.length, 67);
    assert.ok(Math.abs(raw.reduce((sum, us) => sum + us, 0) - 68_000) < 1_000);
  });

  it('encodes a repeat as three marks and spaces', () => {
    assert.equal(decode(necRepeat({ jitter: 0.1 })), 'repeat');
  });

  it('rejects addresses and commands out of range', () => {
    assert.throws(() => necFrame(0x10000, 1), RangeError);
    assert.throws(() => necFrame(1, 256), RangeError);
    assert.throws(() => necFrame(1.5, 1), RangeError);
  });
});

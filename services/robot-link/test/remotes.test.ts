import assert from 'node:assert/strict';
import { necFrame, necRepeat } from '@perch/virtual-robot';
import fc from 'fast-check';
import { decodeNec } from '../src/input/remote/nec.js';
import { decodeRc5 } from '../src/input/remote/rc5.js';
import { decodeSamsung } from '../src/input/remote/samsung.js';
import { decodeSony } from '../src/input/remote/sony.js';
import { eventsOf } from './inputs.js';

const bitsOf = (value: number, count: number): number[] => Array.from({ length: count }, (_, bit) => (value >>> bit) & 1);

/** Frames as the protocols' publications describe them, written apart from the decoders. */
function samsungFrame(address: number, command: number): number[] {
  const bits = [address, address, command, command ^ 0xff].flatMap((byte) => bitsOf(byte, 8));
  return [4500, 4500, ...bits.flatMap((bit) => [560, bit === 1 ? 1690 : 560]), 560];
}

function sonyFrame(address: number, command: number, bits: number): number[] {
  return [2400, ...[...bitsOf(command, 7), ...bitsOf(address, bits - 7)].flatMap((bit) => [600, bit === 1 ? 1200 : 600])];
}

function rc5Frame(address: number, command: number, toggle: number): number[] {
  const bits = [1, command < 64 ? 1 : 0, toggle, ...bitsOf(address, 5).toReversed(), ...bitsOf(command & 63, 6).toReversed()];
  const levels = bits.flatMap((bit) => (bit === 1 ? [0, 1] : [1, 0])).slice(1);
  if (levels.at(-1) === 0) levels.pop();
  const lengths: number[] = [];
  for (const [index, level] of levels.entries()) {
    if (index > 0 && level === levels[index - 1]) lengths.push(lengths.pop()! + 889);
    else lengths.push(889);
  }
  return lengths;
}

/** Returns the lengths as a receiver reports them: marks longer and spaces shorter by `stretch`, each up to 6 % off. */
function received(raw: readonly number[], stretch: number, offs: readonly number[]): number[] {
  return raw.map((us, i) => us * (1 + 0.06 * offs[i % offs.length]!) + (i % 2 === 0 ? stretch : -stretch));
}
const errors = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 7, maxLength: 7 });
const stretches = fc.integer({ min: -120, max: 150 });
const byte = fc.nat(255);

describe('remotes', () => {
  it('decodes every Samsung, Sony and RC5 code as received with stretched marks and a cheap clock, and no other decoder takes it', () => {
    const code = fc.oneof(
      fc.tuple(fc.constant('samsung'), byte, byte).map(([name, a, c]) => ({ name, address: a, command: c, raw: samsungFrame(a, c) })),
      ...[12, 15, 20].map((bits) =>
        fc.tuple(fc.nat(2 ** (bits - 7) - 1), fc.nat(127)).map(([a, c]) => ({ name: 'sony', address: a, command: c, raw: sonyFrame(a, c, bits) })),
      ),
      fc.tuple(fc.nat(31), fc.nat(127), fc.nat(1)).map(([a, c, toggle]) => ({ name: 'rc5', address: a, command: c, raw: rc5Frame(a, c, toggle) })),
    );
    fc.assert(
      fc.property(code, stretches, errors, ({ name, address, command, raw }, stretch, offs) => {
        const capture = received(raw, stretch, offs);
        const found = { samsung: decodeSamsung(capture), sony: decodeSony(capture), rc5: decodeRc5(capture), nec: decodeNec(capture) };
        for (const [decoder, result] of Object.entries(found)) {
          if (decoder !== name) assert.equal(result, null, `${decoder} took a code of ${name}`);
          else assert.deepEqual([(result as { address: number }).address, (result as { command: number }).command], [address, command]);
        }
        assert.deepEqual(eventsOf([{ kind: 'ir', raw_us: capture }]), [['remote', { protocol: name, address, command }]]);
      }),
      {
        numRuns: 1000,
        // An RC5 frame of a long mark and many short ones looks most like Sony's.
        examples: [[{ name: 'rc5', address: 0, command: 64, raw: rc5Frame(0, 64, 0) }, 0, [0, 0, 0, 0, 0, 0, 0]]],
      },
    );
  });

  it('decodes no NEC code, repeat or noise as another protocol', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.tuple(byte, byte).map(([a, c]) => necFrame(a, c)),
          fc.constant(necRepeat()),
        ),
        (raw) => {
          assert.deepEqual([decodeSamsung(raw), decodeSony(raw), decodeRc5(raw)], [null, null, null]);
        },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.nat(12_000), { maxLength: 80 }), (raw) => {
        for (const decode of [decodeSamsung, decodeSony, decodeRc5]) decode(raw);
      }),
    );
  });

  it('makes one event of a press whose code is sent again while the button is held, and another of the next press', () => {
    const press = (raw: number[], times: number, everyMs: number) =>
      Array.from({ length: times }, (_, i) => ({ kind: 'ir' as const, raw_us: raw, after: i === 0 ? 600 : everyMs }));
    const sony = sonyFrame(1, 21, 12);
    assert.equal(eventsOf([...press(sony, 5, 45), ...press(sony, 3, 45)]).length, 2);
    assert.equal(eventsOf([...press(samsungFrame(7, 2), 20, 108)]).length, 1);
    assert.equal(eventsOf([...press(samsungFrame(7, 2), 2, 108), ...press(samsungFrame(7, 3), 2, 108)]).length, 2);
    // The toggle bit tells two quick presses apart.
    const quick = [rc5Frame(5, 16, 0), rc5Frame(5, 16, 1)].map((raw) => ({ kind: 'ir' as const, raw_us: raw, after: 120 }));
    assert.equal(eventsOf(quick).length, 2);
  });

  it('reports a Sony code once whose repetitions lie in the same capture', () => {
    const frame = sonyFrame(1, 21, 12);
    assert.deepEqual(eventsOf([{ kind: 'ir', raw_us: [...frame, 25_000, ...frame, 25_000, ...frame] }]), [
      ['remote', { protocol: 'sony', address: 1, command: 21 }],
    ]);
  });

  it('reports nothing for an empty capture or a single flash of light', () => {
    for (const raw of [[], [0], [0, 0, 0], [40], [40, 100_000]]) assert.deepEqual(eventsOf([{ kind: 'ir', raw_us: raw }]), []);
  });
});

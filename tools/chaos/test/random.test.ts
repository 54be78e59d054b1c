import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Random } from '../src/random.js';

describe('Random', () => {
  it('draws the same for the same seed, and something else for another', () => {
    const draw = (seed: string): number[] => {
      const random = new Random(seed);
      return Array.from({ length: 20 }, () => random.next());
    };
    assert.deepEqual(draw('a'), draw('a'));
    assert.notDeepEqual(draw('a'), draw('b'));
  });

  it('forks a generator that does not depend on earlier draws and differs from other forks', () => {
    const random = new Random('a');
    const before = random.fork('x').next();
    random.next();
    random.fork('y').next();
    assert.equal(random.fork('x').next(), before);
    assert.notEqual(random.fork('y').next(), before);
  });

  it('stays within the bounds', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: -1000, max: 1000 }), fc.nat({ max: 1000 }), (seed, from, size) => {
        const random = new Random(seed);
        const whole = random.int(from, from + size);
        assert.ok(Number.isInteger(whole) && whole >= from && whole <= from + size);
        const part = random.between(from, from + size + 1);
        assert.ok(part >= from && part < from + size + 1);
      }),
    );
  });

  it('draws evenly', () => {
    const random = new Random('even');
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 40_000; i += 1) counts[random.int(0, 3)]! += 1;
    for (const count of counts) assert.ok(count > 9500 && count < 10_500, counts.join());
  });

  it('shuffles a list into another order of the same elements', () => {
    const list = Array.from({ length: 30 }, (_, i) => i);
    const shuffled = new Random('s').shuffle(list);
    assert.notDeepEqual(shuffled, list);
    assert.deepEqual(
      shuffled.toSorted((a, b) => a - b),
      list,
    );
  });

  it('throws a RangeError when picking from an empty list', () => {
    assert.throws(() => new Random('a').pick([]), RangeError);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Random } from '../src/random.js';

describe('chance', () => {
  it('is the same for a seed, and another for another', () => {
    const draw = (seed: string): number[] => {
      const random = new Random(seed);
      return Array.from({ length: 20 }, () => random.next());
    };
    assert.deepEqual(draw('a'), draw('a'));
    assert.notDeepEqual(draw('a'), draw('b'));
  });

  it('a fork draws the same whatever was drawn before it, and as another fork draws', () => {
    const random = new Random('a');
    const before = random.fork('x').next();
    random.next();
    random.fork('y').next();
    assert.equal(random.fork('x').next(), before);
    assert.notEqual(random.fork('y').next(), before);
  });

  it('keeps to its bounds', () => {
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

  it('comes out even', () => {
    const random = new Random('even');
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 40_000; i += 1) counts[random.int(0, 3)]! += 1;
    for (const count of counts) assert.ok(count > 9500 && count < 10_500, counts.join());
  });

  it('shuffles into another order of the same', () => {
    const list = Array.from({ length: 30 }, (_, i) => i);
    const shuffled = new Random('s').shuffle(list);
    assert.notDeepEqual(shuffled, list);
    assert.deepEqual(
      shuffled.toSorted((a, b) => a - b),
      list,
    );
  });

  it('has nothing to pick from nothing', () => {
    assert.throws(() => new Random('a').pick([]), RangeError);
  });
});

import assert from 'node:assert/strict';
import { FrequentNames } from '../../src/metrics/link-metrics.js';

const counted = (names: Record<string, number>): Map<string, number> => new Map(Object.entries(names));

describe('FrequentNames', () => {
  it('reports the 20 most frequent names, and counts the others as `other`', () => {
    const names = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`1.${i}.0`, i + 1]));
    const selected = new Map(new FrequentNames().select(counted(names), 0));
    assert.equal(selected.size, 21);
    assert.equal(selected.get('1.24.0'), 25);
    assert.ok(!selected.has('1.4.0') && selected.has('1.5.0'));
    assert.equal(selected.get('other'), 1 + 2 + 3 + 4 + 5);
  });

  it('reports no `other` if every name fits, and counts a robot that calls itself other', () => {
    assert.deepEqual(new FrequentNames().select(counted({ a: 2, b: 3 }), 0), [
      ['b', 3],
      ['a', 2],
    ]);
    assert.deepEqual(new FrequentNames().select(counted({ other: 2, b: 3 }), 0), [
      ['b', 3],
      ['other', 2],
    ]);
    assert.deepEqual(new FrequentNames().select(new Map(), 0), []);
  });

  it('limits new names for a robot that sends another name with every connection, and keeps known ones', () => {
    const names = new FrequentNames({ newNames: 10, newNameMs: 1000 });
    const seen = new Set<string>();
    for (let i = 0; i < 500; i += 1) for (const [name] of names.select(counted({ honest: 5, [`lie-${i}`]: 1 }), 0)) seen.add(name);
    assert.equal(seen.size, 10 + 1, 'ten names and other');
    assert.deepEqual(names.select(counted({ honest: 5, late: 1 }), 0), [
      ['honest', 5],
      ['other', 1],
    ]);
    assert.deepEqual(names.select(counted({ honest: 5, late: 2, later: 1 }), 1000), [
      ['honest', 5],
      ['late', 2],
      ['other', 1],
    ]);
  });

  it('forgets the least recently used names if more are known than can be remembered, and counts them as new again', () => {
    const names = new FrequentNames({ newNames: 4, newNameMs: Infinity, knownMax: 2 });
    const shown = (name: string): string[] => names.select(counted({ [name]: 1 }), 0).map(([label]) => label);
    assert.deepEqual([...shown('a'), ...shown('b'), ...shown('c'), ...shown('a')], ['a', 'b', 'c', 'a']);
    assert.deepEqual([...shown('b'), ...shown('a')], ['other', 'a']);
  });
});

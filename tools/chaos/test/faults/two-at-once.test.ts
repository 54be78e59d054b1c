import assert from 'node:assert/strict';
import { processFaults, redisFaults } from '../../src/faults/fault-table.js';
import { twoFaults } from '../../src/faults/two-at-once.js';
import { Random } from '../../src/random.js';

describe('two-at-once', () => {
  it('draws faults of two families and injects process faults first, since a restarted process needs its Redis', () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 500; seed += 1) {
      const [first, second, ...more] = twoFaults(new Random(`${seed}`), 'single');
      assert.deepEqual(more, []);
      assert.equal(processFaults.includes(second!), false);
      for (const family of [processFaults, redisFaults]) assert.ok(!(family.includes(first!) && family.includes(second!)));
      for (const { kind, on } of [first!, second!]) {
        assert.notEqual(on, 'cluster');
        seen.add(kind);
      }
    }
    assert.ok(seen.size > 40, `${seen.size} kinds`);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { interval } from '../src/statistics.js';
import { judge, meets } from '../src/verdict.js';

describe('the verdict about a goal', () => {
  it('is met or not met where the whole interval of the rounds says so, and undecided where the bound lies within it', () => {
    const said = (values: readonly number[]): string => judge(values[1]!, values, 'x', { atMost: 1.3 }).verdict;
    assert.deepEqual([said([1.1, 1.12, 1.14]), said([1.25, 1.3, 1.35]), said([1.5, 1.52, 1.54])], ['met', 'undecided', 'not met']);
    assert.equal(judge(3, [2.9, 3, 3.1], 'x', { atLeast: 2.5 }).verdict, 'met');
    assert.equal(judge(2, [1.9, 2, 2.1], 'x', { atLeast: 2.5 }).verdict, 'not met');
  });

  it('is undecided about what was measured in one round', () => {
    assert.deepEqual(judge(0.1, [0.1], 'x', { atMost: 1 }), { verdict: 'undecided', interval: null });
  });

  it('is that of the figure for what is counted', () => {
    assert.deepEqual(judge(3, [2.99, 3, 3.4], 'commands/action', { atMost: 3 }), { verdict: 'met', interval: null });
    assert.deepEqual(judge(1, [1], 'jobs', { exactly: 1 }), { verdict: 'met', interval: null });
    assert.equal(judge(2, [2], 'jobs', { exactly: 1 }).verdict, 'not met');
  });

  it('never says more than both ends of the interval', () => {
    const values = fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(values, fc.double({ min: 0.1, max: 10, noNaN: true }), (rounds, bound) => {
        const [low, high] = interval(rounds);
        assert.ok(low <= high);
        const { verdict } = judge(1, rounds, 'x', { atMost: bound });
        assert.equal(verdict, high <= bound ? 'met' : low <= bound ? 'undecided' : 'not met');
      }),
    );
  });

  it('counts a goal as met at the bound and not beyond it', () => {
    assert.ok(meets(1.05, { atMost: 1.05 }) && !meets(1.06, { atMost: 1.05 }));
    assert.ok(meets(2.5, { atLeast: 2.5 }) && !meets(2.49, { atLeast: 2.5 }));
    assert.ok(meets(1, { exactly: 1 }) && !meets(0, { exactly: 1 }));
  });
});

import assert from 'node:assert/strict';
import { isQuiet, RoundMaker, turned } from '../src/rounds.js';

const makerOf = (calibratorMs: number[], foreign: number[] = []): RoundMaker =>
  new RoundMaker({
    count: 3,
    most: 5,
    calibratorMs: () => Promise.resolve(calibratorMs.shift() ?? 1),
    watch: () => () => ({ foreign: foreign.shift() ?? 0, stolen: 0 }),
  });
const numbered = (round: number): Promise<number> => Promise.resolve(round);

describe('the rounds of a run', () => {
  it('a round counts only if the calibrator, other programs and other guests stay within their bounds', () => {
    const still = { calibratorMs: 0.1, foreign: 0.01, stolen: 0 };
    assert.ok(isQuiet(still, 0.1));
    assert.ok(isQuiet({ ...still, calibratorMs: 0.13 }, 0.1) && !isQuiet({ ...still, calibratorMs: 0.131 }, 0.1));
    assert.ok(isQuiet({ ...still, foreign: 0.05 }, 0.1) && !isQuiet({ ...still, foreign: 0.051 }, 0.1));
    assert.ok(isQuiet({ ...still, stolen: 0.01 }, 0.1) && !isQuiet({ ...still, stolen: 0.011 }, 0.1));
  });

  it('drops and repeats rounds of a slow calibrator, also those before the best one', async () => {
    const slow = 'the calibrator was slow in 2';
    assert.deepEqual(await makerOf([5, 1, 9, 1, 1]).make(numbered), { results: [1, 3, 4], good: 3, made: 5, disturbances: slow });
    assert.deepEqual(await makerOf([1, 1, 1]).make(numbered), { results: [0, 1, 2], good: 3, made: 3, disturbances: '' });
  });

  it('drops and repeats rounds beside other programs', async () => {
    const disturbances = 'other programs ran in 1';
    assert.deepEqual(await makerOf([], [0.2, 0, 0, 0]).make(numbered), { results: [1, 2, 3], good: 3, made: 4, disturbances });
  });

  it('takes the least disturbed rounds where the machine is not quiet often enough, and says how many were good and what disturbed the others', async () => {
    const disturbances = 'the calibrator was slow in 4, other programs ran in 1';
    assert.deepEqual(await makerOf([1, 7, 5, 6, 9], [0, 0, 0.2]).make(numbered), { results: [0, 2, 3], good: 1, made: 5, disturbances });
  });

  it('knows the best of the calibrator from one group of rows to the next', async () => {
    const maker = makerOf([1, 1, 1, 2, 2, 2, 2, 2]);
    await maker.make(numbered);
    const { results, good, made } = await maker.make(numbered);
    assert.deepEqual([results, good, made], [[0, 1, 2], 0, 5]);
  });

  it('begins each round with another variant', () => {
    assert.deepEqual(
      [turned(['a', 'b', 'c'], 0).join(''), turned(['a', 'b', 'c'], 1).join(''), turned(['a', 'b', 'c'], 5).join('')],
      ['abc', 'bca', 'cab'],
    );
  });
});

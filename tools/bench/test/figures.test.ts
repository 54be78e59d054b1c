import assert from 'node:assert/strict';
import { Figures } from '../src/figures.js';
import type { RowName } from '../src/goals.js';
import { plotsOf } from '../src/report/plot.js';
import { measured, percentile, ratios } from '../src/statistics.js';

describe('figures', () => {
  it('figures are the median of the rounds, with the lowest and the highest round', () => {
    assert.deepEqual(measured([3, 1, 2, 10]), { figure: 2.5, spread: [1, 10] });
    assert.equal(percentile([4, 1, 3, 2, 5], 75), 4);
    assert.deepEqual(ratios([2, 6], [1, 2]), [2, 3]);
  });

  it('rows say whether the goal is met: null if undecided or not measured, false if it could not be measured', () => {
    const figures = new Figures();
    figures.set('CPU against L, 16 in flight', [1.59, 1.6, 1.61]);
    figures.set('CPU against S+, 16 in flight', [0.29]);
    figures.set('CPU against M, 16 in flight', [1 / 0]);
    figures.set('CPU of L, 16 in flight', [0.0584]);
    figures.set('p50 against L, 1 in flight', [2.7, 2.72, 2.71]);
    figures.set('p50 against S+, 1 in flight', [0.6, 0.7, 0.8]);
    figures.set('commands, 1 in flight', [3]);
    const rows = new Map(figures.rows().map((row) => [row.name, row]));
    const told = (name: RowName): unknown => {
      const { figure, goal, met, verdict, of } = rows.get(name)!;
      return { figure, goal, met, verdict, of };
    };
    assert.deepEqual(told('CPU against L, 16 in flight'), { figure: 1.6, goal: 'at most 1.7', met: true, verdict: 'met', of: 'L' });
    assert.deepEqual(told('CPU against S+, 16 in flight'), { figure: 0.29, goal: 'at most 0.28', met: null, verdict: 'undecided', of: 'S+' });
    assert.deepEqual(told('CPU against M, 16 in flight'), { figure: null, goal: 'at most 1', met: false, verdict: 'not met', of: 'M' });
    assert.deepEqual(told('CPU of L, 16 in flight'), { figure: 0.058, goal: null, met: null, verdict: null, of: null });
    assert.deepEqual(told('p50 against L, 1 in flight'), { figure: 2.71, goal: 'at most 2.6', met: false, verdict: 'not met', of: 'L' });
    assert.deepEqual(told('p50 against S+, 1 in flight'), { figure: 0.7, goal: 'at most 0.7', met: null, verdict: 'undecided', of: 'S+' });
    assert.deepEqual(told('commands, 1 in flight'), { figure: 3, goal: 'at most 3', met: true, verdict: 'met', of: null });
    assert.deepEqual(told('CPU of a new question'), { figure: null, goal: 'at most 5', met: null, verdict: null, of: null });
    figures.leaveToWholeRun('memory per robot');
    const left = figures.rows().find(({ name }) => name === 'memory per robot')!;
    assert.deepEqual([left.figure, left.met, left.note, rows.get('CPU of a new question')!.note], [null, null, 'only in the whole run', null]);
    assert.throws(() => figures.set('CPU of L, 16 in flight', [1]), /measured twice/);
  });

  it('rounds of a busy machine decide about no goal but those that are counted', () => {
    const figures = new Figures();
    figures.set('CPU against L, 16 in flight', [1, 1.01, 1.02]);
    figures.doubt = '1 of 5 rounds on a quiet machine';
    figures.set('p50 against L, 1 in flight', [1, 1.01, 1.02]);
    figures.set('commands, 1 in flight', [3]);
    const rows = figures.rows().filter(({ figure }) => figure !== null);
    assert.deepEqual(
      rows.map(({ name, met, note }) => ({ name, met, note })),
      [
        { name: 'commands, 1 in flight', met: true, note: null },
        { name: 'CPU against L, 16 in flight', met: true, note: null },
        { name: 'p50 against L, 1 in flight', met: null, note: '1 of 5 rounds on a quiet machine' },
      ],
    );
  });

  it('draws a plot only if every bar was measured', () => {
    const figures = new Figures();
    for (const name of ['L', 'S+', 'A+', 'M', 'Perch'] as const) figures.set(`CPU of ${name}, 16 in flight`, [1, 2, 3]);
    figures.set('p50 of L, 1 in flight', [1]);
    const plots = plotsOf({ rows: figures.rows() });
    assert.deepEqual([...plots.keys()], ['cpu.svg']);
    assert.match(plots.get('cpu.svg')!, /^<svg [^>]+>[\s\S]+Perch[\s\S]+<\/svg>\n$/);
  });
});

import assert from 'node:assert/strict';
import { chaosArguments, helpText } from '../src/options.js';

const kinds = ['none', 'redis-killed'];

describe('the options of the chaos run', () => {
  it('left out, are five minutes of everything with a seed that is drawn', () => {
    const args = { minutes: 5, rounds: null, systems: 2, seed: null, round: null, only: null, json: null, help: false };
    assert.deepEqual(chaosArguments([], kinds), args);
  });

  it('say how long, which seed, which faults', () => {
    const few = ['--minutes', '0.5', '--rounds', '3', '--systems', '1', '--seed', 'x', '--only', 'none, redis-killed', '--json', 'f.json'];
    const args = chaosArguments(few, kinds);
    assert.deepEqual(args, { minutes: 0.5, rounds: 3, systems: 1, seed: 'x', round: null, only: kinds, json: 'f.json', help: false });
    assert.equal(chaosArguments(['--seed', 'x', '--round', '7'], kinds).round, 7);
  });

  for (const [args, why] of [
    [['--minutes', '0'], /a number above 0/],
    [['--rounds', '1.5'], /a whole number/],
    [['--systems', '0'], /a number above 0/],
    [['--only', 'war'], /no such fault; there are none, redis-killed/],
    [['--round', '3'], /needs --seed/],
    [['--sed', 'x'], /--sed/],
  ] as const) {
    it(`refuse ${args.join(' ')}`, () => {
      assert.throws(() => chaosArguments([...args], kinds), why);
    });
  }

  it('are all in the help', () => {
    for (const option of ['minutes', 'rounds', 'systems', 'seed', 'round', 'only', 'json', 'help'])
      assert.ok(helpText(kinds).includes(`--${option}`), option);
  });
});

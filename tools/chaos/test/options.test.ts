import assert from 'node:assert/strict';
import { chaosArguments, helpText } from '../src/options.js';

const kinds = ['none', 'redis-killed'];

describe('options of npm run chaos', () => {
  it('defaults to five minutes of all faults with a random seed', () => {
    const args = { minutes: 5, rounds: null, systems: 2, seed: null, round: null, only: null, json: null, micropython: false, help: false };
    assert.deepEqual(chaosArguments([], kinds), args);
  });

  it('reads the duration, the seed and the faults', () => {
    const few = ['--minutes', '0.5', '--rounds', '3', '--systems', '1', '--seed', 'x', '--only', 'none, redis-killed', '--json', 'f.json'];
    const args = chaosArguments(few, kinds);
    assert.deepEqual(args, {
      minutes: 0.5,
      rounds: 3,
      systems: 1,
      seed: 'x',
      round: null,
      only: kinds,
      json: 'f.json',
      micropython: false,
      help: false,
    });
    assert.equal(chaosArguments(['--seed', 'x', '--round', '7'], kinds).round, 7);
    assert.equal(chaosArguments(['--robot', 'micropython'], kinds).micropython, true);
  });

  for (const [args, why] of [
    [['--minutes', '0'], /a number above 0/],
    [['--rounds', '1.5'], /a whole number/],
    [['--systems', '0'], /a number above 0/],
    [['--only', 'war'], /unknown fault; use none, redis-killed/],
    [['--round', '3'], /requires --seed/],
    [['--robot', 'arduino'], /must be micropython/],
    [['--sed', 'x'], /--sed/],
  ] as const) {
    it(`rejects ${args.join(' ')}`, () => {
      assert.throws(() => chaosArguments([...args], kinds), why);
    });
  }

  it('lists every option in the help', () => {
    for (const option of ['minutes', 'rounds', 'systems', 'seed', 'round', 'only', 'robot', 'json', 'help'])
      assert.ok(helpText(kinds).includes(`--${option}`), option);
  });
});

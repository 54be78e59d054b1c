import assert from 'node:assert/strict';
import { helpText, rollingArguments } from '../src/options.js';

describe('options of npm run rolling', () => {
  it('defaults to every plan, 40 robots and at least 500 calls in a phase', () => {
    const { plan, robots, calls, json, from, lastRelease } = rollingArguments([]);
    assert.deepEqual(
      { plan, robots, calls, json, from, lastRelease },
      { plan: 'all', robots: 40, calls: 500, json: null, from: null, lastRelease: null },
    );
  });

  it('reads every option', () => {
    const given = [
      '--only',
      'same-version',
      '--robots',
      '24',
      '--calls',
      '600',
      '--json',
      'out.json',
      '--from',
      '0.10.0',
      '--last-release',
      'built',
      '--busy',
      '--robot',
      'micropython',
      '--seed',
      's',
    ];
    assert.deepEqual(rollingArguments(given), {
      plan: 'same-version',
      robots: 24,
      calls: 600,
      json: 'out.json',
      from: '0.10.0',
      lastRelease: 'built',
      seed: 's',
      busy: true,
      micropython: true,
      verbose: false,
      help: false,
    });
  });

  const refused: Record<string, { args: string[]; message: RegExp }> = {
    'a plan that does not exist': { args: ['--only', 'sideways'], message: /--only sideways: must be one of all, same-version, last-release/ },
    'too few robots': { args: ['--robots', '7'], message: /--robots 7: must be a whole number from 8 to 400/ },
    'another kind of robot': { args: ['--robot', 'virtual'], message: /--robot virtual: must be micropython/ },
    'a number of calls that is no number': { args: ['--calls', '5e2'], message: /--calls 5e2: must be a whole number/ },
    'an empty file name': { args: ['--json', ''], message: /--json: needs the name of a file/ },
    'an option it does not have': { args: ['--fast'], message: /--fast/ },
    'an argument that is no option': { args: ['fast'], message: /fast/ },
  };
  for (const [what, { args, message }] of Object.entries(refused)) {
    it(`rejects ${what} and names the option`, () => {
      assert.throws(() => rollingArguments(args), message);
    });
  }

  it('lists every option in the help', () => {
    for (const option of ['json', 'only', 'robot', 'robots', 'calls', 'from', 'last-release', 'seed', 'verbose', 'help'])
      assert.match(helpText, new RegExp(`--${option}\\b`));
  });
});

import assert from 'node:assert/strict';
import { fuzzArguments, help } from '../src/options.js';

describe('options of npm run fuzz', () => {
  it('sends 50,000 requests to all targets by default, to virtual robots', () => {
    const { seed, ...args } = fuzzArguments([]);
    const only = ['http', 'mcp', 'webhooks', 'console', 'link', 'flood', 'slow'];
    assert.deepEqual(args, { requests: 50_000, held: 1000, json: null, micropython: false, only, help: false });
    assert.ok(Number.isInteger(seed));
  });

  it('reads the seed, the targets and the robot', () => {
    const { seed, only, micropython } = fuzzArguments(['--seed', '7', '--only', 'http, mcp', '--robot', 'micropython']);
    assert.deepEqual([seed, only, micropython], [7, ['http', 'mcp'], true]);
  });

  for (const [args, why] of [
    [['--requests', '1.5'], /a whole number/],
    [['--slow', '9000'], /at most 8000/],
    [['--only', 'war'], /unknown group; use http/],
    [['--robot', 'arduino'], /must be micropython/],
    [['--sed', '7'], /--sed/],
  ] as const) {
    it(`rejects ${args.join(' ')}`, () => {
      assert.throws(() => fuzzArguments([...args]), why);
    });
  }

  it('lists every option in the help', () => {
    for (const option of ['requests', 'slow', 'seed', 'only', 'robot', 'json', 'help']) assert.ok(help.includes(`--${option}`), option);
  });
});

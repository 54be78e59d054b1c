import assert from 'node:assert/strict';
import { defaultMix } from '../src/mix.js';
import { loadArguments } from '../src/options.js';
import { openFilesProblem } from '../src/system/open-files.js';

const problem = (args: string[], max: number): string | null => openFilesProblem(loadArguments(args), defaultMix, max);

describe('the check of open files', () => {
  it("accepts a run within every process's limit", () => {
    assert.equal(problem(['--robots', '10000', '--workers', '2'], 20_000), null);
  });

  it('names the process, the number, the limit and what to raise', () => {
    assert.match(
      problem(['--robots', '10000', '--workers', '1'], 10_000)!,
      /--robots 10000: a worker's process of robots needs 11000 open files, 10000 are allowed.*ulimit.*--workers/,
    );
    assert.match(problem(['--robots', '10000', '--workers', '8'], 10_000)!, /a robot-link needs 11000 .*--links/);
    assert.match(problem(['--robots', '10000', '--workers', '8', '--links', '4'], 5000)!, /a gateway needs 6000 .*--gateways/);
  });

  it('counts the robots that move to a robot-link when a storm kills the other', () => {
    assert.match(problem(['--robots', '10000', '--workers', '8', '--storm'], 10_000)!, /a robot-link needs 11000/);
  });

  it('ignores services that run elsewhere', () => {
    assert.equal(problem(['--robots', '10000', '--workers', '8', '--base', 'http://a'], 10_000), null);
  });
});

import assert from 'node:assert/strict';
import { awayMaxMs, exitCodeOf, type PhaseReport } from '../src/report.js';

describe('the exit code of a rolling replacement', () => {
  const phase = { failed: 0, lost: 0, doubled: 0, out_of_order: 0, waits_broken: 0, sounds_broken: 0, violations: [], away_p99_ms: awayMaxMs };
  const codeOf = (changed: Partial<PhaseReport>, busy: boolean): number =>
    exitCodeOf({ seed: 's', robots: 8, phases: [{ ...phase, ...changed } as PhaseReport], failure: null, seconds: 1, busy });

  it('is 1 where robots were away for too long, but not on a machine that did other work', () => {
    assert.deepEqual([codeOf({}, false), codeOf({}, true), codeOf({ away_p99_ms: awayMaxMs - 1 }, false)], [1, 0, 0]);
  });

  it('is 1 on any machine where something was lost, doubled, broken or failed', () => {
    for (const what of ['failed', 'lost', 'doubled', 'out_of_order', 'waits_broken', 'sounds_broken'] as const)
      assert.equal(codeOf({ [what]: 1 }, true), 1, what);
  });
});

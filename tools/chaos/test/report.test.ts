import assert from 'node:assert/strict';
import { exitCodeOf, reportOf, summaryOf, type Report, type RoundReport } from '../src/report.js';

const round: RoundReport = {
  round: 1,
  redis: 'single',
  faults: ['kill-redis', 'robot-flood'],
  injected: [],
  calls: 10,
  outcomes: { ok: 7, robot_offline: 3 },
  commands: 8,
  events: 5,
  messages: 4,
  ms: 2000,
  steps: { hold: 1500, heal: 400 },
  violations: [],
  failure: null,
};
const violation = { guarantee: 'ok means acked', round: 2, seed: 's', fault: 'none', what: 'call 3 was not', excerpt: [] };
const broken: RoundReport = { ...round, round: 2, faults: ['none'], violations: [violation] };
const failed: RoundReport = { ...round, round: 3, failure: 'no Redis' };

function report(...rounds: RoundReport[]): Report {
  return reportOf({ seed: 's', kinds: ['none', 'kill-redis', 'robot-flood', 'cut-redis'], rounds, ms: 6000, stolen: 0.31 });
}

describe('the report of a chaos run', () => {
  it('sums the rounds, and names faults that ran in no completed round', () => {
    const { rounds, faults, missing, calls, outcomes, steps, violations, failures } = report(round, broken, failed);
    assert.deepEqual(
      { rounds, faults, missing, calls },
      { rounds: 3, faults: { 'kill-redis': 1, 'robot-flood': 1, none: 1 }, missing: ['cut-redis'], calls: 30 },
    );
    assert.deepEqual(
      [outcomes, steps],
      [
        { ok: 21, robot_offline: 9 },
        { hold: 4500, heal: 1200 },
      ],
    );
    assert.deepEqual(violations, [violation]);
    assert.deepEqual(failures, [{ round: 3, fault: 'kill-redis+robot-flood', why: 'no Redis' }]);
  });

  it('prints a summary of a few lines', () => {
    assert.deepEqual(summaryOf(report(round, broken, failed)).split('\n'), [
      'seed s: 3 rounds in 0.1 min (2.0 s each), 3 of 4 kinds of faults, 30 calls, 24 commands, 15 events, 12 messages, 1 violations',
      'CPU steal: the host gave 31 % of the time in which the processors had work to other machines',
      'never ran: cut-redis',
      '  round 2: ok means acked: call 3 was not',
      '  round 3 could not be completed: no Redis',
      '',
    ]);
  });

  it('exits with 1 on a violation, else 130 after a signal, else 2 if a round could not be run', () => {
    assert.equal(exitCodeOf(report(round, broken, failed), true), 1);
    assert.equal(exitCodeOf(report(round, failed), true), 130);
    assert.equal(exitCodeOf(report(), true), 130);
    assert.equal(exitCodeOf(report(round, failed), false), 2);
    assert.equal(exitCodeOf(report(round), false), 0);
  });
});

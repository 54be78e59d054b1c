import assert from 'node:assert/strict';
import { History, Track, type Call } from '@perch/chaos';
import { awayTimes, failedCalls, failureOf, isEven, isExcused, p99, streamProblems } from '../src/findings.js';

function historyOf(ending: Call['ending']): History {
  const history = new History();
  const asked = { kind: 'inspect' } as const;
  const { end } = history.call({ account: 'a', robot: 'r', action: 'state', gateway: 'haproxy', apiKey: 'k', asked, key: null, withinMs: 1000 });
  if (ending !== null) end(ending);
  return history;
}

describe('failedCalls', () => {
  it('returns every call that was not answered with 200, named by its code, its status or its connection error', () => {
    const endings: [Call['ending'], string | null][] = [
      [{ how: 'answered', status: 200, body: { ok: true } }, null],
      [{ how: 'answered', status: 503, body: { ok: false, code: 'draining' } }, 'draining'],
      [{ how: 'answered', status: 503, body: { unreadable: '<html>' } }, 'status 503'],
      [{ how: 'broken', error: 'ECONNRESET' }, 'ECONNRESET'],
      [null, 'no answer'],
    ];
    for (const [ending, failure] of endings) assert.deepEqual(failedCalls(historyOf(ending)).map(failureOf), failure === null ? [] : [failure]);
  });
});

describe('isExcused', () => {
  const callEndedAs = (code: string): Call => historyOf({ how: 'answered', status: 503, body: { ok: false, code } }).calls[0]!;

  it('excuses service_unavailable while storage was slow, and nothing that a replacement causes', () => {
    const served = new Track(0);
    const recover = served.impair();
    const calls = ['service_unavailable', 'draining', 'robot_offline', 'outcome_unknown'].map(callEndedAs);
    recover();
    assert.deepEqual(
      calls.map((call) => isExcused(call, served)),
      [true, false, false, false],
    );
  });

  it('excuses nothing while storage was not slow', () => {
    assert.ok(!isExcused(callEndedAs('service_unavailable'), new Track(0)));
  });
});

describe('awayTimes', () => {
  const session = (robot: string, at: number, endedAt: number | null) => ({
    robot,
    at,
    endedAt,
    boot: 'b',
    session: `s${at}`,
    link: 'haproxy',
    reason: 'reconnect' as const,
  });

  it('measures from the end of a session to the welcome of the next one of the same robot', () => {
    const sessions = [session('a', 0, 100), session('b', 0, 105), session('a', 350, null), session('b', 110, null)];
    assert.deepEqual(awayTimes({ sessions }, 50, 1000), [
      { robot: 'a', ms: 250 },
      { robot: 'b', ms: 5 },
    ]);
  });

  it('counts to the end of the phase for a robot that did not come back', () => {
    assert.deepEqual(awayTimes({ sessions: [session('a', 0, 100)] }, 0, 4000), [{ robot: 'a', ms: 3900 }]);
  });

  it('ignores sessions that ended before or after the replacement', () => {
    assert.deepEqual(awayTimes({ sessions: [session('a', 0, 40), session('a', 50, 2000)] }, 100, 1000), []);
  });

  it('has a 99th percentile that 99 of 100 values do not exceed', () => {
    assert.equal(p99(Array.from({ length: 100 }, (_, i) => i + 1)), 99);
    assert.equal(p99([7]), 7);
    assert.equal(p99([]), 0);
  });
});

describe('isEven', () => {
  it('accepts a greatest count of up to 1.25 times the smallest, plus 2', () => {
    assert.ok(isEven([12, 12]));
    assert.ok(isEven([12, 8]));
    assert.ok(!isEven([13, 8]));
    assert.ok(!isEven([60, 0]));
    assert.ok(!isEven([13, 12, 8]));
  });
});

describe('streamProblems', () => {
  it('accepts a stream with every event of the log once and in order', () => {
    assert.deepEqual(streamProblems('r', [1, 2, 3], [1, 2, 3]), []);
  });

  it('reports lost, doubled and reordered events', () => {
    const harms = (seqs: number[]): string[] => streamProblems('r', seqs, [1, 2, 3]).map(({ harm }) => harm);
    assert.deepEqual(harms([1, 3]), ['lost']);
    assert.deepEqual(harms([1, 2, 2, 3]), ['doubled']);
    assert.deepEqual(harms([1, 3, 2]), ['out of order']);
  });
});

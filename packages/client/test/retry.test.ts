import assert from 'node:assert/strict';
import { PerchError } from '../src/error.js';
import { Perch } from '../src/index.js';
import { FailedTries } from '../src/retry.js';

describe('FailedTries', () => {
  const persisting = { reads: false, keyed: true, waits: true, persists: true };
  const broken = new PerchError('no_answer', 'Broken.', { status: 0 });
  const refused = new PerchError('unreachable', 'Refused.', { status: 0 });

  it('a question with retry is asked again for 15 s after its connection broke, also while the service restarts', () => {
    const failed = new FailedTries(persisting, 0);
    assert.notEqual(failed.retryInMs(broken, 0, 100_000), null);
    for (let now = 101_000; now < 110_000; now += 1000) assert.notEqual(failed.retryInMs(refused, now - 100, now), null);
    assert.notEqual(failed.retryInMs(broken, 109_900, 110_000), null);
    assert.equal(failed.retryInMs(refused, 105_100, 115_100), null, 'a connection that cannot be made is no new break');
  });

  it('a question with retry that was open again before its connection broke once more has 15 s more', () => {
    const failed = new FailedTries(persisting, 0);
    assert.notEqual(failed.retryInMs(broken, 0, 100_000), null);
    assert.notEqual(failed.retryInMs(broken, 101_000, 160_000), null);
    assert.equal(failed.retryInMs(new PerchError('robot_offline', 'No.', { status: 503 }), 160_100, 160_200), null);
  });

  it('a question with retry is given up after 10 minutes, whatever its time limit is, since its key ends then', async () => {
    const waitedMs: number[] = [];
    const { setTimeout: platform } = globalThis;
    const asked = { ok: true, outcome: 'timed_out', answer: null, index: null };
    const perch = new Perch({ baseUrl: 'http://127.0.0.1:1', apiKey: 'pk_x', timeoutMs: 3_600_000, fetch: async () => Response.json(asked) });
    globalThis.setTimeout = ((run: () => void, ms: number) => {
      waitedMs.push(ms);
      return platform(run, ms);
    }) as typeof setTimeout;
    try {
      for (const retry of [true, false]) await perch.robot('r-1').ask({ question: '?', answers: ['a', 'b'] }, { retry });
    } finally {
      globalThis.setTimeout = platform;
    }
    const [kept, plain] = waitedMs.filter((ms) => ms > 60_000);
    assert.ok(kept! <= 600_000 && kept! > 590_000 && plain! > 3_600_000, waitedMs.join());
  });
});

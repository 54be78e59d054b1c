import assert from 'node:assert/strict';
import { findRedisServer } from '@perch/local-redis';
import { skipTest } from '@perch/testkit';
import { faults } from '../src/faults/faults.js';
import { Random } from '../src/random.js';
import type { RoundReport } from '../src/report.js';
import { runChaos } from '../src/run.js';

const kinds = ['none', 'kill-robot-link', 'cut-redis'];

describe('the chaos run', function () {
  this.timeout(120_000);

  it('injects faults into a running system, sees what happened, and finds every guarantee held', async function () {
    if (findRedisServer(process.env['PATH']) === null) skipTest(this, 'needs a redis-server of its own');
    const rounds: RoundReport[] = [];
    const report = await runChaos({
      env: process.env,
      seed: new Random('self-test'),
      faults: faults.filter(({ kind }) => kinds.includes(kind)).map((fault) => ({ ...fault, on: 'single' as const })),
      rounds: [1, 2, 3],
      mayGoOn: () => true,
      onRound: (round) => rounds.push(round),
    });
    assert.deepEqual(report.failures, []);
    assert.deepEqual(
      report.violations.map(({ guarantee, what }) => `${guarantee}: ${what}`),
      [],
    );
    assert.deepEqual(report.faults, { none: 1, 'kill-robot-link': 1, 'cut-redis': 1 });
    for (const { calls, commands, events, injected } of rounds) {
      assert.equal(injected.length, 1);
      assert.ok(calls > 100 && commands > 50 && events > 20, JSON.stringify({ calls, commands, events }));
    }
    for (const outcome of ['ok', 'answered', 'replaced', 'timed_out']) assert.ok((report.outcomes[outcome] ?? 0) > 0, `no call was ${outcome}`);
  });
});

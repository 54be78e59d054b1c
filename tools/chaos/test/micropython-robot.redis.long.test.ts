import assert from 'node:assert/strict';
import { faults } from '../src/faults/faults.js';
import { needsMicropython, needsRedisServer } from '@perch/testkit';
import { Random } from '../src/random.js';
import { runChaos } from '../src/run.js';

describe('chaos with the robot program in MicroPython', function () {
  this.timeout(300_000);

  it('finds no violation in a round in which robots redial in a storm', async function () {
    needsRedisServer(this);
    const micropython = await needsMicropython(this);
    const report = await runChaos({
      seed: new Random('micropython'),
      faults: faults.filter(({ kind }) => kind === 'robot-reconnect-storm'),
      rounds: [1],
      systems: 1,
      mayContinue: () => true,
      stopping: new AbortController().signal,
      onRound: () => undefined,
      env: process.env,
      micropython,
    });
    assert.deepEqual([report.rounds, report.violations, report.failures], [1, [], []]);
    assert.ok(report.commands > 0 && report.events > 0);
  });
});

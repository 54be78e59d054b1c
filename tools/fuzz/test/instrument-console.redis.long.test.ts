import assert from 'node:assert/strict';
import { needsRedisServer, skipTest } from '@perch/testkit';
import { runFuzz } from '../src/run.js';

describe('npm run fuzz on the console', function () {
  this.timeout(240_000);

  before(function () {
    if (process.platform !== 'linux') skipTest(this, 'it reads /proc, and dials from every address of loopback');
    needsRedisServer(this);
  });

  it('finds no violation in the console with a few hundred calls and every limit', async () => {
    const { requests, violations, statuses } = await runFuzz({
      requests: 700,
      slow: { held: 0, rounds: 1, windowMs: 1000 },
      seed: 1,
      only: ['console'],
      env: process.env,
      log: () => {},
    });
    assert.deepEqual(violations, []);
    for (const target of ['console-gate', 'console-calls', 'console-bounds', 'console-page']) assert.ok((requests[target] ?? 0) > 100, target);
    assert.ok(
      (requests['console-oidc'] ?? 0) > 20 &&
        (statuses['console-gate']?.['403 forbidden'] ?? 0) > 50 &&
        (statuses['console-calls']?.['200'] ?? 0) > 50,
    );
  });
});

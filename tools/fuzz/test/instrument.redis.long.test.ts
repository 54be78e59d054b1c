import assert from 'node:assert/strict';
import { needsRedisServer, provideMicropython, skipTest } from '@perch/testkit';
import { runFuzz } from '../src/run.js';

describe('npm run fuzz', function () {
  this.timeout(240_000);

  before(function () {
    if (process.platform !== 'linux') skipTest(this, 'it reads /proc, and dials from every address of loopback');
    needsRedisServer(this);
  });

  it('finds no 500, no crash and no growth with a few thousand requests and 200 slow clients', async () => {
    const micropython = await provideMicropython();
    const slow = { held: 200, rounds: 1, windowMs: 1000 };
    const report = await runFuzz({
      requests: 2500,
      slow,
      seed: 1,
      only: ['http', 'mcp', 'webhooks', 'link', 'flood', 'slow'],
      // One robot of the attacker, where this machine can run it.
      micropython: typeof micropython === 'string' ? null : micropython,
      env: process.env,
      log: () => {},
    });
    const sent = Object.values(report.requests).reduce((sum, count) => sum + count, 0);
    assert.ok(sent >= 2500 + slow.held, String(sent));
    // Delays of other clients are measured by npm run fuzz alone, without other load on the machine.
    const found = report.violations.filter(
      ({ target, what }) => !['slow', 'flood'].includes(target) || !/ of others went from |99th percentile of another/.test(what),
    );
    assert.deepEqual(found, []);
    for (const target of ['http-actions', 'http-shapes', 'mcp-calls', 'mcp-messages', 'webhooks', 'link'])
      assert.ok((report.requests[target] ?? 0) > 100, target);
    assert.ok((report.statuses['http-actions']?.['200'] ?? 0) > 100 && (report.statuses['http-actions']?.['400 bad_argument'] ?? 0) > 500);
  });
});

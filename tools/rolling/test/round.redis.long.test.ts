/** A short rolling replacement with the real parts: HAProxy, Redis, built services, robots and programs. */
import assert from 'node:assert/strict';
import { needsHaproxy, needsRedisServer, thisTree } from '@perch/testkit';
import { robotLinksFirst } from '../src/plan.js';
import { isUnbroken } from '../src/report.js';
import { runRolling } from '../src/run.js';

describe('a rolling replacement of this version by itself', function () {
  this.timeout(180_000);

  it('fails no call behind a load balancer that retries none, and loses, doubles and reorders nothing', async function () {
    needsHaproxy(this);
    needsRedisServer(this);
    const tree = thisTree();
    const { phases, failure } = await runRolling({
      phases: [{ from: tree, to: tree, order: robotLinksFirst.slice(0, 2), manner: 'surge' }],
      robots: 8,
      calls: 100,
      waits: { timeoutsS: [3, 4], thinkMs: [300, 2500] },
      seed: 'test',
      env: process.env,
      progress: () => undefined,
      log: () => undefined,
      onPhase: () => undefined,
    });
    assert.equal(failure, null);
    const [phase] = phases;
    assert.deepEqual({ violations: phase!.violations, failed: phase!.failed }, { violations: [], failed: 0 });
    assert.ok(isUnbroken(phase!), JSON.stringify(phase));
    assert.ok(phase!.calls >= 100 && phase!.moves >= 8 && phase!.waits > 0, JSON.stringify(phase));
  });
});

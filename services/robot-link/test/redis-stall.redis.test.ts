import assert from 'node:assert/strict';
import { beatGoneMs } from '@perch/store';
import { needsRedisServer, redisProcess, until, type LocalRedis } from '@perch/testkit';
import { useLink, useLinks } from './links-under-test.js';

describe('a robot that stays connected while Redis stalls', () => {
  let redis: LocalRedis;
  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess();
  });
  const system = useLinks({ redis: () => redis.url });
  const link = useLink(system);
  after(() => redis?.stop());

  it('looks away to no reader within 6 s after the stall, and has no second `connected` event', async () => {
    const made = await system.started(link, { instant: true });
    await system.events(made, ['connected']);
    const stoppedAt = performance.now();
    await redis.kill('SIGSTOP');
    await until(() => performance.now() - stoppedAt >= beatGoneMs + 2000);
    await redis.kill('SIGCONT');
    const resumedAt = performance.now();
    // Null unless the machine is so busy that the robot-link needs much longer than the reader to come back.
    let awayAfterMs: number | null = null;
    await until(
      async () => {
        const { state } = await system.store.leases.find(made.id);
        if (state === 'away') awayAfterMs ??= performance.now() - resumedAt;
        return state === 'held';
      },
      { everyMs: 1 },
    );
    assert.ok(awayAfterMs === null || awayAfterMs > beatGoneMs, `away ${awayAfterMs} ms after the stall`);
    // Longer than the robot-link waits before it looks for gateways of 0.10.
    const heldAt = performance.now();
    await until(() => performance.now() - heldAt > 4000);
    await made.robot.tap(1, 1);
    await made.robot.until(({ inputs }) => inputs.acked === inputs.seq);
    assert.deepEqual(await system.eventNames(made), ['connected', ...(awayAfterMs === null ? [] : ['connected']), 'tap']);
    assert.equal(made.robot.dials, 1);
  });

  it('has a `connected` event once it is back if its robot-link did not come back with Redis, so that a reader saw it as away', async () => {
    const made = await system.started(link, { instant: true });
    await system.events(made, ['connected']);
    const { connections } = link.store;
    const { script } = connections;
    const stoppedAt = performance.now();
    await redis.kill('SIGSTOP');
    await until(() => performance.now() - stoppedAt >= beatGoneMs);
    connections.script = (name, keys, args) => (name === 'instanceBeat' ? Promise.reject(new Error('cut off')) : script(name, keys, args));
    try {
      await redis.kill('SIGCONT');
      await until(async () => (await system.store.leases.find(made.id)).state === 'away');
      const awayMs = performance.now() - stoppedAt;
      assert.ok(awayMs > 2 * beatGoneMs, `it was away ${awayMs} ms after Redis had stopped`);
    } finally {
      connections.script = script;
    }
    await system.events(made, ['connected', 'connected']);
    await until(async () => (await system.store.leases.find(made.id)).state === 'held');
    assert.equal(made.robot.dials, 1);
  });
});

import assert from 'node:assert/strict';
import { needsRedisServer, redisProcess } from '@perch/testkit';
import { LaunchedSystem } from '../src/index.js';

describe('LaunchedSystem', () => {
  it('stops every part, all services and Redis also if a part fails to stop, and reports that failure', async function () {
    needsRedisServer(this);
    const system = await LaunchedSystem.start({ redis: await redisProcess(), env: process.env, drainMs: 500 });
    let isStopped = false;
    system.keep({ stop: () => Promise.reject(new Error('a part failed')) });
    system.keep({ stop: () => Promise.resolve((isStopped = true)) });
    const { services } = system;
    await assert.rejects(system.close(), /a part failed/);
    assert.equal(isStopped, true);
    assert.ok(services.length >= 3);
    assert.deepEqual(
      services.filter(({ running }) => running).map(({ service }) => service),
      [],
    );
    assert.equal(system.redis!.running, false);
  });
});

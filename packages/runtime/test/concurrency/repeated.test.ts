import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@perch/testkit';
import { Repeated } from '../../src/index.js';

describe('a repeated task', () => {
  it('never runs twice at a time, runs again, and ends its run before it stops', async () => {
    let [begun, running, most, release] = [0, 0, 0, (): void => undefined];
    const repeated = new Repeated(5, async () => {
      begun++;
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => (release = resolve));
      running--;
    });
    repeated.start();
    await until(() => begun === 1);
    await sleep(50);
    assert.equal(begun, 1);
    release();
    await until(() => begun === 2);
    let stopped = false;
    const stopping = repeated.stop().then(() => (stopped = true));
    await sleep(20);
    assert.equal(stopped, false);
    release();
    await stopping;
    await sleep(50);
    assert.deepEqual([begun, running, most], [2, 0, 1]);
  });
});

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { withinMs } from '../../src/concurrency.js';

describe('withinMs', () => {
  it('returns what the work returns in time, and does not call `late`', async () => {
    let lateCalls = 0;
    const late = () => (lateCalls += 1);
    assert.equal(await withinMs(Promise.resolve('done'), 20, late), 'done');
    assert.equal(await withinMs('no promise', 20, late), 'no promise');
    await sleep(40);
    assert.equal(lateCalls, 0);
  });

  it('returns what `late` returns once the time has elapsed', async () => {
    const started = performance.now();
    assert.equal(await withinMs(new Promise<string>(() => {}), 20, () => 'late'), 'late');
    assert.ok(performance.now() - started >= 19);
  });

  it('rejects as the work or `late` does', async () => {
    await assert.rejects(
      withinMs(Promise.reject(new Error('work failed')), 20, () => 'late'),
      /work failed/,
    );
    const tooLate = (): never => {
      throw new Error('too late');
    };
    await assert.rejects(withinMs(new Promise(() => {}), 5, tooLate), /too late/);
  });
});

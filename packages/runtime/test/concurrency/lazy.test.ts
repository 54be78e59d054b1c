import assert from 'node:assert/strict';
import { Lazy } from '../../src/concurrency.js';

describe('Lazy', () => {
  it('opens the value on first use and keeps it', async () => {
    let count = 0;
    const value = new Lazy(async () => ++count);
    assert.equal(await value.ifOpen(), null);
    assert.equal(count, 0);
    assert.deepEqual(await Promise.all([value.get(), value.get(), value.ifOpen()]), [1, 1, 1]);
    assert.equal(await value.get(), 1);
  });

  it('opens the value again after it could not be opened', async () => {
    let count = 0;
    const value = new Lazy(async () => {
      if (++count === 1) throw new Error('no answer');
      return count;
    });
    const failing = value.get();
    assert.equal(await value.ifOpen(), null);
    await assert.rejects(failing, /no answer/);
    assert.equal(await value.ifOpen(), null);
    assert.equal(await value.get(), 2);
    assert.equal(await value.ifOpen(), 2);
  });
});

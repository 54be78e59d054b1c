import assert from 'node:assert/strict';
import { AsyncSignal } from '../../src/concurrency.js';

describe('AsyncSignal', () => {
  it('resolves a wait when the flag is set', async () => {
    const signal = new AsyncSignal();
    setTimeout(() => signal.set(), 5);
    assert.equal(await signal.wait(10_000), true);
  });

  it('keeps a flag that was set before the wait, for one wait', async () => {
    const signal = new AsyncSignal();
    signal.set();
    signal.set();
    assert.equal(await signal.wait(10_000), true);
    assert.equal(await signal.wait(5), false);
  });

  it('returns false when the time elapses first, and at once without time', async () => {
    const signal = new AsyncSignal();
    assert.equal(await signal.wait(5), false);
    assert.equal(await signal.wait(0), false);
    assert.equal(await signal.wait(-1), false);
  });

  it('keeps a flag that was set when no time was left to wait', async () => {
    const signal = new AsyncSignal();
    signal.set();
    assert.equal(await signal.wait(0), true);
  });

  it('rejects with the reason of an abort before and during the wait, and keeps the flag', async () => {
    const reason = new Error('cancelled');
    const signal = new AsyncSignal();
    await assert.rejects(signal.wait(10_000, AbortSignal.abort(reason)), reason);
    const abort = new AbortController();
    setTimeout(() => abort.abort(reason), 5);
    await assert.rejects(signal.wait(10_000, abort.signal), reason);
    signal.set();
    await assert.rejects(signal.wait(10_000, abort.signal), reason);
    assert.equal(await signal.wait(0), true);
  });
});

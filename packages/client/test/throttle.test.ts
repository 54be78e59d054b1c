import assert from 'node:assert/strict';
import { Throttle, type ThrottleClock } from '../src/throttle.js';

class Time implements ThrottleClock {
  #now = 1000;
  slept: number[] = [];

  now(): number {
    return this.#now;
  }

  pass(ms: number): void {
    this.#now += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.slept.push(ms);
    if (signal === undefined) return Promise.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  }
}

const policy = '"actions";q=30;w=3';
const said = (left: number, more: Record<string, string> = { 'ratelimit-policy': policy }): Headers =>
  new Headers({ ratelimit: `"actions";r=${left};t=3`, ...more });

describe('throttle', () => {
  let time: Time;
  let throttle: Throttle;
  beforeEach(() => {
    time = new Time();
    throttle = new Throttle(time);
  });

  const call = async (left: number): Promise<void> => {
    await throttle.acquire(1);
    throttle.release(1, said(left));
  };

  it('delays nothing before the first response, or while actions are left', async () => {
    for (let left = 29; left >= 0; left--) await call(left);
    assert.deepEqual(time.slept, []);
  });

  it('waits until an empty bucket has one action, not until it is full', async () => {
    await call(0);
    await throttle.acquire(1);
    assert.deepEqual(time.slept, [100]);
  });

  it('sends concurrent calls one after another as the bucket fills', async () => {
    await call(2);
    await Promise.all(Array.from({ length: 5 }, () => throttle.acquire(1)));
    assert.deepEqual(time.slept, [100, 200, 300]);
  });

  it('refills the bucket up to its capacity while there are no calls', async () => {
    await call(0);
    time.pass(250);
    await throttle.acquire(2);
    assert.deepEqual(time.slept, []);
    throttle.release(2);
    time.pass(3_600_000);
    await throttle.acquire(31);
    assert.deepEqual(time.slept, [100]);
  });

  it('accepts a lower level when other programs use the key', async () => {
    await call(29);
    await call(0);
    await throttle.acquire(1);
    assert.deepEqual(time.slept, [100]);
  });

  it('does not raise the level while other calls are in flight', async () => {
    await call(2);
    await throttle.acquire(1);
    await throttle.acquire(1);
    throttle.release(1, said(9));
    await throttle.acquire(1);
    assert.deepEqual(time.slept, [100]);
  });

  it('waits until the bucket is full if the service sends no policy', async () => {
    await throttle.acquire(1);
    throttle.release(1, said(0, {}));
    time.pass(500);
    await throttle.acquire(1);
    assert.deepEqual(time.slept, [2500]);
  });

  it('returns the actions of an aborted call, and never delays free calls', async () => {
    await call(0);
    const soon = new AbortController();
    const acquiring = throttle.acquire(1, soon.signal);
    soon.abort(new Error('enough'));
    await assert.rejects(acquiring, /enough/);
    await throttle.acquire(0);
    await throttle.acquire(1);
    assert.deepEqual(time.slept, [100, 100]);
  });

  it('ignores the headers of a response that took a person long', async () => {
    await call(29);
    await throttle.acquire(1);
    throttle.release(1, said(0), 30_000);
    await throttle.acquire(1);
    assert.deepEqual(time.slept, []);
  });

  it('ignores missing and malformed headers', async () => {
    await call(1);
    await throttle.acquire(1);
    throttle.release(1);
    await throttle.acquire(1);
    throttle.release(1, new Headers({ ratelimit: 'never', 'ratelimit-policy': policy }));
    assert.deepEqual(time.slept, [100]);
  });
});

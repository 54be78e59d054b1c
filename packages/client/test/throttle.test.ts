import assert from 'node:assert/strict';
import { Throttle, type ThrottleClock } from '../src/throttle.js';

/** Time that passes when somebody sleeps. */
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

  /** A call whose answer says what is left. */
  const call = async (left: number): Promise<void> => {
    await throttle.enter(1);
    throttle.done(1, said(left));
  };

  it('holds nothing back before the service said what it allows, or while there is something left', async () => {
    for (let left = 29; left >= 0; left--) await call(left);
    assert.deepEqual(time.slept, []);
  });

  it('waits for the next action of an empty bucket, not for a full one', async () => {
    await call(0);
    await throttle.enter(1);
    assert.deepEqual(time.slept, [100]);
  });

  it('lets calls that come together go one after the other, as the bucket fills', async () => {
    await call(2);
    await Promise.all(Array.from({ length: 5 }, () => throttle.enter(1)));
    assert.deepEqual(time.slept, [100, 200, 300]);
  });

  it('knows that the bucket fills while nothing is called, up to its depth', async () => {
    await call(0);
    time.pass(250);
    await throttle.enter(2);
    assert.deepEqual(time.slept, []);
    throttle.done(2);
    time.pass(3_600_000);
    await throttle.enter(31);
    assert.deepEqual(time.slept, [100]);
  });

  it('believes that others use the key too', async () => {
    await call(29);
    await call(0);
    await throttle.enter(1);
    assert.deepEqual(time.slept, [100]);
  });

  it('does not take calls that are on their way for actions that are left', async () => {
    await call(2);
    await throttle.enter(1);
    await throttle.enter(1);
    throttle.done(1, said(9));
    await throttle.enter(1);
    assert.deepEqual(time.slept, [100]);
  });

  it('waits until the bucket is full where the service names no policy', async () => {
    await throttle.enter(1);
    throttle.done(1, said(0, {}));
    time.pass(500);
    await throttle.enter(1);
    assert.deepEqual(time.slept, [2500]);
  });

  it('gives back what a call that is broken off would have taken, and holds free calls never', async () => {
    await call(0);
    const soon = new AbortController();
    const entering = throttle.enter(1, soon.signal);
    soon.abort(new Error('enough'));
    await assert.rejects(entering, /enough/);
    await throttle.enter(0);
    await throttle.enter(1);
    assert.deepEqual(time.slept, [100, 100]);
  });

  it('takes what was left when a person began to think for no news', async () => {
    await call(29);
    await throttle.enter(1);
    throttle.done(1, said(0), 30_000);
    await throttle.enter(1);
    assert.deepEqual(time.slept, []);
  });

  it('takes no headers, and headers that say nothing, for no news', async () => {
    await call(1);
    await throttle.enter(1);
    throttle.done(1);
    await throttle.enter(1);
    throttle.done(1, new Headers({ ratelimit: 'never', 'ratelimit-policy': policy }));
    assert.deepEqual(time.slept, [100]);
  });
});

import assert from 'node:assert/strict';
import { Timers, type Clock } from '../src/clock.js';

class TestClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  setTimeout(run: () => void, ms: number): unknown {
    const timer = { at: this.#nowMs + ms, run };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as { at: number; run: () => void });
  }

  /** Lets time pass in one step, as in a process that was busy, and then runs what is due. */
  pass(ms: number): void {
    this.#nowMs += ms;
    for (const timer of [...this.#timers].filter(({ at }) => at <= this.#nowMs)) {
      this.#timers.delete(timer);
      timer.run();
    }
  }
}

describe('Timers.every', () => {
  function ticking(): { clock: TestClock; timers: Timers; at: number[]; end: () => void } {
    const clock = new TestClock();
    const timers = new Timers(clock);
    const at: number[] = [];
    return { clock, timers, at, end: timers.every(100, () => at.push(clock.now())) };
  }

  it('keeps its phase after a late call', () => {
    const { clock, at } = ticking();
    for (const ms of [100, 130, 70, 100]) clock.pass(ms);
    assert.deepEqual(at, [100, 230, 300, 400]);
  });

  it('skips periods that passed entirely', () => {
    const { clock, at } = ticking();
    clock.pass(550);
    for (let i = 0; i < 6; i++) clock.pass(25);
    assert.deepEqual(at, [550, 600, 700]);
  });

  it('ends when it is cancelled, also from its own call', () => {
    const { clock, at, end } = ticking();
    clock.pass(100);
    end();
    clock.pass(1000);
    assert.deepEqual(at, [100]);
    let count = 0;
    const cancel = new Timers(clock).every(10, () => {
      count += 1;
      cancel();
    });
    clock.pass(10);
    clock.pass(100);
    assert.equal(count, 1);
  });

  it('ends with the other timers', () => {
    const { clock, timers, at } = ticking();
    timers.stopAll();
    clock.pass(1000);
    assert.deepEqual(at, []);
  });
});

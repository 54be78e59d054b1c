import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DecisionGuard, inViewMs, type DecisionState, type GuardClock } from '../../src/ui/decision/decision-guard.js';

/** Time passes only when the test says so. */
class TestClock implements GuardClock {
  #now = 5000;
  readonly #timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = end;
  }
}

describe('DecisionGuard', () => {
  let clock: TestClock;
  let states: DecisionState[];
  let guard: DecisionGuard;
  beforeEach(() => {
    clock = new TestClock();
    states = [];
    guard = new DecisionGuard(clock, (state) => states.push(state));
  });

  const press = (): boolean => {
    guard.pointerDown();
    return guard.click(true);
  };

  it('a press decides once the page was in view for a second, and not a millisecond earlier', () => {
    guard.see(true);
    clock.pass(inViewMs - 1);
    assert.equal(press(), false);
    clock.pass(1);
    assert.equal(press(), true);
    assert.deepEqual(states, ['early', 'ready']);
  });

  it('a press that began too early does not decide, however long it is held', () => {
    guard.see(true);
    clock.pass(inViewMs - 1);
    guard.pointerDown();
    clock.pass(5000);
    assert.equal(guard.click(true), false);
    assert.equal(press(), true);
  });

  it('the time starts again each time that the page comes back into view', () => {
    guard.see(true);
    clock.pass(inViewMs);
    guard.see(false);
    assert.equal(press(), false);
    clock.pass(5000);
    guard.see(true);
    clock.pass(inViewMs - 1);
    assert.equal(press(), false);
    clock.pass(1);
    assert.equal(press(), true);
    assert.deepEqual(states, ['early', 'ready', 'away', 'early', 'ready']);
  });

  it('the time starts again when what is decided on changes', () => {
    guard.see(true);
    guard.decideOn('watch');
    clock.pass(inViewMs);
    guard.decideOn('watch');
    assert.equal(press(), true);
    guard.decideOn('use');
    clock.pass(inViewMs - 1);
    assert.equal(press(), false);
    clock.pass(1);
    assert.equal(press(), true);
  });

  it('a page that was opened behind another window says so, and no press on it decides', () => {
    guard.see(false);
    clock.pass(5000);
    assert.equal(press(), false);
    assert.deepEqual(states, ['away']);
  });

  it('a press over which the page was left does not decide', () => {
    guard.see(true);
    clock.pass(inViewMs);
    guard.pointerDown();
    guard.see(false);
    guard.see(true);
    assert.equal(guard.click(true), false);
  });

  it('a key that was held when the page came into view decides only once it is released and pressed again', () => {
    guard.see(true);
    for (let repeated = 0; repeated < 100; repeated++) {
      guard.keyDown('Enter', true);
      assert.equal(guard.click(false), false);
      clock.pass(30);
    }
    guard.keyUp('Enter');
    clock.pass(1);
    guard.keyDown('Enter', false);
    assert.equal(guard.click(false), true);
  });

  it('a key that is pressed too early and held does not decide, nor does a browser that reports no repetitions change that', () => {
    guard.see(true);
    clock.pass(inViewMs - 1);
    guard.keyDown('Enter', false);
    clock.pass(5000);
    guard.keyDown('Enter', false);
    assert.equal(guard.click(false), false);
  });

  it('the space bar decides by its press, although the click follows its release', () => {
    guard.see(true);
    clock.pass(inViewMs - 1);
    guard.keyDown(' ', false);
    clock.pass(1);
    guard.keyUp(' ');
    assert.equal(guard.click(false), false);
    clock.pass(1);
    guard.keyDown(' ', false);
    guard.keyUp(' ');
    assert.equal(guard.click(false), true);
  });

  it('the click of a screen reader, which presses nothing, decides from the same moment on', () => {
    guard.see(true);
    guard.keyDown('Tab', false);
    clock.pass(inViewMs - 1);
    assert.equal(guard.click(false), false);
    clock.pass(1);
    assert.equal(guard.click(false), true);
    assert.equal(guard.click(true), true);
  });

  it('in any sequence of focus, keys, presses and time, a click that decides began after a whole second in view', () => {
    const step = fc.oneof(
      fc.integer({ min: 0, max: 1500 }).map((ms) => ({ do: 'pass', ms }) as const),
      fc.constantFrom('see', 'leave', 'down', 'key', 'repeat', 'up', 'click', 'keyClick').map((what) => ({ do: what, ms: 0 }) as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const time = new TestClock();
        const guarded = new DecisionGuard(time, () => {});
        let seenSince: number | null = null;
        let pointerAt: number | null = null;
        let keyAt: number | null = null;
        for (const { do: what, ms } of steps) {
          if (what === 'pass') time.pass(ms);
          else if (what === 'see' || what === 'leave') {
            guarded.see(what === 'see');
            if ((what === 'leave') === (seenSince === null)) continue;
            seenSince = what === 'leave' ? null : time.now();
            // Keys that are still held send repetitions from now on.
            pointerAt = keyAt = null;
          } else if (what === 'down') {
            guarded.pointerDown();
            pointerAt = time.now();
          } else if (what === 'key' || what === 'repeat') {
            guarded.keyDown('Enter', what === 'repeat');
            keyAt ??= what === 'repeat' ? -Infinity : time.now();
          } else if (what === 'up') {
            guarded.keyUp('Enter');
            time.pass(0);
            keyAt = null;
          } else {
            const began: number = (what === 'click' ? pointerAt : keyAt) ?? time.now();
            const decided = guarded.click(what === 'click');
            if (what === 'click') pointerAt = null;
            assert.equal(decided, seenSince !== null && began - seenSince >= inViewMs);
          }
        }
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { WheelClock } from '../src/worker/wheel-clock.js';

describe('WheelClock', () => {
  let clock: WheelClock;

  beforeEach(() => (clock = new WheelClock()));
  afterEach(() => clock.stop());

  it('runs timers in the order of their times, and none early', async () => {
    const ran: { ms: number; earlyMs: number }[] = [];
    const startedAt = clock.now();
    for (const ms of [60, 0, 35, 120, 10]) clock.setTimeout(() => ran.push({ ms, earlyMs: ms - (clock.now() - startedAt) }), ms);
    await sleep(200);
    assert.deepEqual(
      ran.map(({ ms }) => ms),
      [0, 10, 35, 60, 120],
    );
    assert.ok(
      ran.every(({ earlyMs }) => earlyMs <= 0),
      JSON.stringify(ran),
    );
  });

  it('does not run a cancelled timer, not even if another timer of the same moment cancels it', async () => {
    const ran: string[] = [];
    const first = clock.setTimeout(() => ran.push('first'), 20);
    clock.clearTimeout(first);
    const others: unknown[] = [];
    for (const name of ['second', 'third']) {
      others.push(
        clock.setTimeout(() => {
          ran.push(name);
          for (const other of others) clock.clearTimeout(other);
        }, 20),
      );
    }
    await sleep(80);
    assert.deepEqual(ran, ['second']);
  });

  it('runs a timer that a timer sets', async () => {
    await new Promise<void>((resolve) => {
      clock.setTimeout(() => clock.setTimeout(() => clock.setTimeout(resolve, 10), 10), 10);
    });
  });

  it('runs every timer that became due while the process was busy', async () => {
    const ran: number[] = [];
    for (let ms = 0; ms < 100; ms += 7) clock.setTimeout(() => ran.push(ms), ms);
    const until = performance.now() + 150;
    while (performance.now() < until);
    await sleep(50);
    assert.equal(ran.length, 15);
  });
});

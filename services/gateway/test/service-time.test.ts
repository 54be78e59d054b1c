import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceTime } from '../src/calls/service-time.js';

describe('ServiceTime', () => {
  it('excludes the time spent waiting for the robot, a tap or the client', async () => {
    const beganAt = performance.now();
    const time = new ServiceTime(beganAt);
    time.pause();
    await sleep(50);
    time.resume();
    const now = performance.now();
    assert.ok(time.ms(now) <= now - beganAt - 49, `${time.ms(now)} of ${now - beganAt}`);
    assert.equal(Math.round(time.ms(now + 100) - time.ms(now)), 100);
  });

  it('counts concurrent waits once, including a wait that has not ended', async () => {
    const beganAt = performance.now();
    const time = new ServiceTime(beganAt);
    time.pause();
    time.pause();
    await sleep(30);
    time.resume();
    const now = performance.now();
    // The second part continues to wait.
    assert.ok(Math.abs(time.ms(now + 1000) - time.ms(now)) < 1e-6);
    assert.ok(time.ms(now) >= 0);
  });

  it("adds back the part of a wait that was the service's own time", () => {
    const time = new ServiceTime(performance.now());
    time.pause();
    const now = performance.now();
    const before = time.ms(now);
    time.addBack(250);
    assert.equal(Math.round(time.ms(now) - before), 250);
  });

  it('returns 0 for a call whose work another request did', () => {
    const time = new ServiceTime(performance.now() - 5000);
    time.ignore();
    assert.equal(time.ms(performance.now()), 0);
  });
});

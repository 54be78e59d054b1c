import assert from 'node:assert/strict';
import { Sensors } from '../src/body/sensors.js';
import { systemClock, Timers } from '../src/clock.js';
import { SensorReports } from '../src/sensor-reports.js';

class HandTimers extends Timers {
  turn = (): void => assert.fail('nothing repeats');

  override every(_ms: number, turn: () => void): () => void {
    this.turn = turn;
    return () => undefined;
  }
}

describe('reports of sensors', () => {
  it('come in every fifth interval on battery, and at once when the robot is plugged in or unplugged', () => {
    const timers = new HandTimers(systemClock);
    let usb = true;
    let sent = 0;
    const state = () => ({ head: { yaw: 0, pitch: 10, moving: false }, proximityRaw: 0, usb, uptimeMs: 0 });
    const reports = new SensorReports(new Sensors(() => 0.5), systemClock, { state, send: () => (sent += 1) });
    const sentIn = (intervals: number): number => {
      const before = sent;
      for (let each = 0; each < intervals; each += 1) timers.turn();
      return sent - before;
    };
    reports.start(2000, timers);
    assert.equal(sent, 1);
    assert.equal(sentIn(10), 10);
    usb = false;
    assert.equal(sentIn(1), 1, 'unplugged');
    assert.equal(sentIn(10), 2);
    usb = true;
    assert.equal(sentIn(1), 1, 'plugged in');
    assert.equal(sentIn(10), 10);
  });
});

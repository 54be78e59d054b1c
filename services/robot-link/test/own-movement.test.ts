import assert from 'node:assert/strict';
import { ownMovementMs, RobotReadings, RobotState } from '../src/session/state.js';

const ahead = () => ({ yaw: 0, pitch: 45 });

describe('movements of the robot itself', () => {
  it('assumes that a head movement lasts as long as its angle takes, a gesture 2.5 s, and a command that moves nothing no time', () => {
    assert.equal(ownMovementMs('head.move', { yaw: 120 }, ahead), 1000);
    assert.equal(
      ownMovementMs('head.move', { yaw: -128, pitch: 5 }, () => ({ yaw: 128, pitch: 5 })),
      2133,
    );
    assert.equal(ownMovementMs('head.gesture', { name: 'shake' }, ahead), 2500);
    assert.equal(ownMovementMs('robot', { command: 'dance' }, ahead), 2500);
    for (const [name, args] of [
      ['leds.set', {}],
      ['audio.play', {}],
      ['robot', { command: 'brightness' }],
    ] as const) {
      assert.equal(ownMovementMs(name, args, ahead), null);
    }
  });

  it('counts a movement that ended within the time that a burst describes', () => {
    const readings = new RobotReadings();
    assert.equal(readings.headMovedWithin(1500), false);
    readings.headCommanded(-999.9);
    const start = performance.now();
    while (performance.now() - start < 5);
    assert.equal(readings.headMoving, false);
    assert.equal(readings.headMovedWithin(1500), true);
  });

  it('assumes no movement before the instance started, so that a burst that a robot resends to a new instance counts', () => {
    assert.equal(new RobotReadings().headMovedWithin(performance.now() + 1000), false);
  });

  it('counts a movement from its ack for its whole length, since the robot begins it then', () => {
    const state = new RobotState({ card: null, question: null, emotion: 'neutral', view: 'face' });
    state.readings.accept({ head_yaw_deg: -120, head_pitch_deg: 45 }, 1000, () => undefined);
    state.apply({ name: 'head.move', args: { yaw: 120 } }, { yaw: 120 }, 1000);
    // 240 degrees take 2 s, and it may shake for a second after that.
    assert.equal(state.readings.headMovedWithin(-2500), true);
    assert.equal(state.readings.headMovedWithin(-3000), false);
  });

  it('counts a longer movement to its end when a shorter one follows', () => {
    const readings = new RobotReadings();
    readings.headCommanded(5000);
    readings.headCommanded(0);
    readings.headCommanded(-1000);
    assert.equal(readings.headMoving, true);
  });

  it('counts the head as moving when a report says that it no longer moves, since it stopped at an unknown time before', () => {
    const readings = new RobotReadings();
    readings.accept({ head_moving: true }, 1, () => undefined);
    readings.accept({ head_moving: false }, 2, () => undefined);
    assert.equal(readings.headMoving, true);
  });
});

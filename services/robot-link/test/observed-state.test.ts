import assert from 'node:assert/strict';
import type { Readings } from '@perch/schema';
import { ObservedStateTracker } from '../src/session/state.js';

const never = { values: {} as Readings, at: null, headMoving: false };
const pixels = Array.from({ length: 12 }, (_, i) => `#0000${i.toString(16).padStart(2, '0')}`);

describe('ObservedStateTracker', () => {
  let state: ObservedStateTracker;
  beforeEach(() => {
    state = new ObservedStateTracker();
  });

  it('returns null for everything that the robot has not confirmed yet', () => {
    assert.deepEqual(state.at(0, never, false), {
      bubble: null,
      head: { yaw: null, pitch: null, moving: false },
      leds: { pixels: null, effect: null },
      sound: false,
    });
  });

  it('returns a bubble for as long as its command says', () => {
    state.apply({ name: 'bubble', args: { text: 'hello', seconds: 6 } }, {}, 1000);
    assert.equal(state.at(6999, never, false).bubble, 'hello');
    assert.equal(state.at(7000, never, false).bubble, null);
  });

  it('keeps the pixels behind an effect, which ends after its time or with the next pixels', () => {
    state.apply({ name: 'leds.set', args: { pixels } }, {}, 0);
    state.apply({ name: 'leds.effect', args: { name: 'blink', color: '#ff0000', speed: 2, seconds: 3 } }, {}, 1000);
    assert.deepEqual(state.at(3999, never, false).leds, { pixels, effect: { name: 'blink', color: '#ff0000', palette: null, speed: 2 } });
    assert.deepEqual(state.at(4000, never, false).leds, { pixels, effect: null });
    state.apply({ name: 'leds.effect', args: { name: 'off', speed: 1, seconds: 0 } }, {}, 5000);
    assert.deepEqual(state.at(1e12, never, false).leds.effect, { name: 'off', color: null, palette: null, speed: 1 });
    state.apply({ name: 'leds.set', args: { pixels: pixels.toReversed() } }, {}, 6000);
    assert.deepEqual(state.at(6000, never, false).leds, { pixels: pixels.toReversed(), effect: null });
  });

  it('returns the angles that the robot said it turns to until its sensors report the new position', () => {
    state.apply({ name: 'head.move', args: { yaw: 200 } }, { yaw: 128 }, 10_000);
    const head = (now: number, values: Readings, at: number): unknown => state.at(now, { values, at, headMoving: true }, false).head;
    const read = { head_yaw_deg: 40, head_pitch_deg: 12 };
    assert.deepEqual(head(10_500, read, 10_400), { yaw: 128, pitch: 12, moving: true });
    assert.deepEqual(head(12_500, read, 12_000), { yaw: 40, pitch: 12, moving: true });
    state.apply({ name: 'head.move', args: { pitch: 30 } }, {}, 20_000);
    assert.deepEqual(head(20_100, read, 19_000), { yaw: 128, pitch: 30, moving: true });
    state.apply({ name: 'head.gesture', args: { name: 'home' } }, {}, 30_000);
    assert.deepEqual(head(30_100, read, 29_000), { yaw: 0, pitch: 12, moving: true });
  });

  it('returns the commanded angles if a sensor failed', () => {
    state.apply({ name: 'head.move', args: { yaw: 20, pitch: 30 } }, {}, 0);
    assert.deepEqual(state.at(9000, { values: { head_yaw_deg: null }, at: 8000, headMoving: false }, false).head, {
      yaw: 20,
      pitch: 30,
      moving: false,
    });
  });
});

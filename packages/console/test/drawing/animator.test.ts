import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { createCanvas } from 'canvas';
import { Animator } from '../../src/drawing/live/animator.js';
import { RobotLife } from '../../src/drawing/live/robot-life.js';
import { unknownLooks } from '../../src/drawing/looks.js';

describe('the animator of the drawn robot', () => {
  it('shows no empty canvas when the drawing gets another size', async () => {
    const canvases = { face: createCanvas(320, 240), leds: createCanvas(544, 408) };
    const animator = new Animator(canvases as never);
    const leds = { pixels: Array.from({ length: 12 }, () => '#00ff00'), effect: null };
    animator.show({ life: new RobotLife('seed', unknownLooks).now, isFaceShown: false, leds, isStill: true });
    animator.setSeen(true);
    const isDrawn = (): boolean => {
      const { data } = canvases.leds.getContext('2d').getImageData(0, 0, canvases.leds.width, canvases.leds.height);
      return data.some((value) => value > 0);
    };
    await until(isDrawn, { what: 'the first frame' });
    animator.setScale(1.5);
    assert.equal(canvases.leds.width, 816);
    assert.ok(isDrawn());
    animator.stop();
  });
});

import assert from 'node:assert/strict';
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
    await new Promise((resolve) => setTimeout(resolve, 20));
    animator.setScale(1.5);
    const { data } = canvases.leds.getContext('2d').getImageData(0, 0, canvases.leds.width, canvases.leds.height);
    assert.equal(canvases.leds.width, 816);
    assert.ok(data.some((value) => value > 0));
    animator.stop();
  });
});

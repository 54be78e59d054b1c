import assert from 'node:assert/strict';
import { touchEvent, type ScreenTouch } from '../src/input/gestures.js';
import { fed, screenTouch } from './inputs.js';

function only(outputs: ReturnType<typeof fed>): ScreenTouch {
  assert.equal(outputs.length, 1);
  const [touch] = outputs;
  assert.ok(touch?.kind === 'touch');
  return touch;
}

describe('a touch on the screen', () => {
  it('returns where a touch began and ended, how long it was held and the inputs that made it', () => {
    const touch = only(fed(screenTouch(90, [10, 20], [14, 27])));
    assert.deepEqual(touch, { kind: 'touch', x: 10, y: 20, endX: 14, endY: 27, heldMs: 90, downMs: 1010, downSeq: 1, upSeq: 2 });
  });

  it('reports a tap below 800 ms and a long press from 800 ms, at the position where it began', () => {
    assert.deepEqual(touchEvent(only(fed(screenTouch(799, [10, 20], [90, 90])))), { name: 'tap', data: { x: 10, y: 20 } });
    assert.deepEqual(touchEvent(only(fed(screenTouch(800, [10, 20], [90, 90])))), { name: 'long_press', data: { x: 10, y: 20 } });
  });

  it('names the picture that a tap hit; a long press names none', () => {
    const touched = (held: number) =>
      touchEvent(
        only(
          fed([
            { kind: 'touch_down', x: 1, y: 2 },
            { kind: 'touch_up', x: 1, y: 2, held_ms: held, sprite: 'cat' },
          ]),
        ),
      );
    assert.deepEqual(touched(90), { name: 'tap', data: { x: 1, y: 2, sprite: 'cat' } });
    assert.deepEqual(touched(900), { name: 'long_press', data: { x: 1, y: 2 } });
  });

  it('yields nothing for a touch on the screen whose beginning is unknown', () => {
    assert.deepEqual(fed([{ kind: 'touch_up', x: 1, y: 2, held_ms: 90 }]), []);
    assert.equal(fed([...screenTouch(90), { kind: 'touch_up', x: 1, y: 2, held_ms: 90 }]).length, 1);
  });

  it('drops an unfinished touch on the screen when another begins', () => {
    const touch = only(fed([{ kind: 'touch_down', x: 5, y: 5 }, ...screenTouch(90, [100, 100])]));
    assert.deepEqual([touch.x, touch.downSeq], [100, 2]);
  });

  it('reports whole pixels of the screen, also for a touch of its edge', () => {
    for (const [[x, y], at] of [
      [[160.9, 120.2], { x: 160, y: 120 }],
      [[-1.5, 239.9], { x: 0, y: 239 }],
      [[320.4, 241], { x: 319, y: 239 }],
      [[-2000, 1e300], { x: 0, y: 239 }],
    ] as const)
      assert.deepEqual(touchEvent(only(fed(screenTouch(90, [x, y])))).data, at);
  });

  it('marks a touch that begins more than 2 px outside the screen', () => {
    const isOutside = (x: number, y: number): boolean => only(fed(screenTouch(90, [x, y], [160, 120]))).outside === true;
    for (const [x, y] of [
      [-2, 100],
      [321, 100],
      [100, -2],
      [100, 241],
    ] as const)
      assert.equal(isOutside(x, y), false, `${x},${y}`);
    for (const [x, y] of [
      [-2.1, 100],
      [321.1, 100],
      [100, -3],
      [100, 242],
    ] as const)
      assert.equal(isOutside(x, y), true, `${x},${y}`);
  });
});

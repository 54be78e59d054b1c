import assert from 'node:assert/strict';
import { hitTest, type Box, type Scene, type TappableScene } from '../src/index.js';

/** Points that a simulated person taps. */
const points = [
  [60, 170],
  [260, 170],
] as const;

export function assertTappable({ scene, targets }: TappableScene, count: number): void {
  assert.equal(targets.length, count);
  const rects = targets.map((target) => {
    assert.equal(target.shape, 'rect');
    return target as Extract<typeof target, { shape: 'rect' }>;
  });
  for (const rect of rects) {
    assert.ok([rect.x, rect.y, rect.w, rect.h].every(Number.isInteger), 'whole pixels');
    assert.ok(rect.x >= 0 && rect.y >= 0 && rect.x + rect.w <= 320 && rect.y + rect.h <= 240, 'on the screen');
    assert.ok(rect.w >= 44 && rect.h >= 44, 'as large as a finger');
  }
  rects.forEach((a, i) => {
    for (const b of rects.slice(i + 1)) {
      assert.ok(a.x + a.w + 4 <= b.x || b.x + b.w + 4 <= a.x || a.y + a.h + 4 <= b.y || b.y + b.h + 4 <= a.y, 'apart from each other');
    }
  });
  for (const [x, y] of points) assert.notEqual(hitTest(targets, x, y), -1, `${x},${y} lies in a target`);
  rects.forEach((rect, i) => {
    assert.equal(hitTest(targets, rect.x + rect.w / 2, rect.y + rect.h / 2), i);
    const drawn = scene.boxes.some((box) => box.kind === 'fill' && box.x === rect.x && box.y === rect.y && box.w === rect.w && box.h === rect.h);
    assert.ok(drawn, 'what is tapped is what is drawn');
  });
  assertOnScreen(scene);
}

export function assertOnScreen(scene: { w: number; h: number; boxes: Box[] }): void {
  for (const box of scene.boxes) {
    assert.ok(box.w > 0 && box.h > 0, `a box has a size: ${JSON.stringify(box)}`);
    assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.w <= scene.w && box.y + box.h <= scene.h, `a box lies on the screen: ${JSON.stringify(box)}`);
    if (box.kind === 'text') {
      assert.notEqual(box.text, '');
      assert.ok(box.sizeMin <= box.sizeMax);
      assert.ok(box.h >= box.sizeMin, 'a line fits');
    }
  }
}

/** Checks that no text, icon or picture covers another. Fills are what they stand on. */
export function assertNoOverlap(scene: Scene): void {
  const parts = scene.boxes.filter((box) => box.kind !== 'fill');
  parts.forEach((a, i) => {
    for (const b of parts.slice(i + 1)) {
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      assert.ok(apart, `boxes overlap: ${JSON.stringify([a, b])}`);
    }
  });
}

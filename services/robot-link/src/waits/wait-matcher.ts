import type { Target, WaitRecord } from '@perch/schema';
import { hitTest } from '@perch/screen';
import { isLong, type ScreenTouch } from '../input/screen-touch.js';

/** Maximum distance from its target at which a touch may end, px: a finger rolls as it lifts. */
const slipPx = 12;
const tolerance = 1e-6;

/** Null: the touch lies on no target. One that does begins inside the target, ends within 12 px; for a clickmap it is a tap. `Consent` knows whether it counts. */
export function match(record: Pick<WaitRecord, 'kind' | 'targets'>, touch: ScreenTouch): { index: number; x: number; y: number } | null {
  if (record.kind === 'clickmap' && isLong(touch)) return null;
  const { x, y } = touch;
  const index = hitTest(record.targets, x, y);
  const target = record.targets[index];
  if (target === undefined || distance(target, touch.endX, touch.endY) > slipPx + tolerance) return null;
  return { index, x, y };
}

/** Returns the distance from the point to the nearest point of the target, px; 0 inside. */
function distance(target: Target, x: number, y: number): number {
  switch (target.shape) {
    case 'rect':
      return Math.hypot(outside(x, target.x, target.x + target.w), outside(y, target.y, target.y + target.h));
    case 'circle':
      return Math.max(0, Math.hypot(x - target.x, y - target.y) - target.r);
    case 'polygon':
      return hitTest([target], x, y) === 0 ? 0 : distanceToOutline(target.points, x, y);
  }
}

function outside(value: number, from: number, to: number): number {
  return Math.max(from - value, 0, value - to);
}

function distanceToOutline(points: readonly [number, number][], x: number, y: number): number {
  let nearest = Infinity;
  let [ax, ay] = points.at(-1) ?? [NaN, NaN];
  for (const [bx, by] of points) {
    const dx = bx - ax;
    const dy = by - ay;
    const square = dx * dx + dy * dy;
    const along = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / square));
    nearest = Math.min(nearest, Math.hypot(x - ax - along * dx, y - ay - along * dy));
    [ax, ay] = [bx, by];
  }
  return nearest;
}

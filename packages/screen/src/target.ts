import type { Target } from '@perch/schema';

/** A region of `clickmap`: exactly one of the shapes. */
export interface RegionShape {
  rect?: readonly number[];
  circle?: readonly number[];
  polygon?: readonly (readonly number[])[];
}

/** Pixels; compensates for rounding on edges with fractional coordinates. */
const tolerance = 1e-6;

export function regionTargets(regions: readonly RegionShape[]): Target[] {
  return regions.map((region) => {
    if (region.rect) {
      const [x = 0, y = 0, w = 0, h = 0] = region.rect;
      return { shape: 'rect', x, y, w, h };
    }
    if (region.circle) {
      const [x = 0, y = 0, r = 0] = region.circle;
      return { shape: 'circle', x, y, r };
    }
    return { shape: 'polygon', points: (region.polygon ?? []).map(([x = 0, y = 0]) => [x, y]) };
  });
}

/** Returns the index of the first target that contains the point, or -1. Edges count as inside, but for the right and the bottom one of a rectangle. */
export function hitTest(targets: readonly Target[], x: number, y: number): number {
  return targets.findIndex((target) => contains(target, x, y));
}

/** Returns the pixel of a touch, which ends where the next one begins. Panels report fractions, and the edge of the screen as a pixel or two outside. */
export function pixelAt(at: number, size: number): number {
  return Math.max(0, Math.min(size - 1, Math.floor(at)));
}

/** Returns a point inside the target: the centre of a rectangle or circle, or the centroid of a polygon (another inner point if the centroid is outside). */
export function targetCenter(target: Target): [number, number] {
  if (target.shape === 'rect') return [target.x + target.w / 2, target.y + target.h / 2];
  if (target.shape === 'circle') return [target.x, target.y];
  return polygonCenter(target.points);
}

function contains(target: Target, x: number, y: number): boolean {
  switch (target.shape) {
    case 'rect':
      return x >= target.x && x < target.x + target.w && y >= target.y && y < target.y + target.h;
    case 'circle':
      return Math.hypot(x - target.x, y - target.y) <= target.r + tolerance;
    case 'polygon':
      return inPolygon(target.points, x, y);
  }
}

/** Applies the even-odd rule, like HTML image maps; points on an edge are inside. */
function inPolygon(points: readonly [number, number][], x: number, y: number): boolean {
  let inside = false;
  let [ax, ay] = points.at(-1) ?? [NaN, NaN];
  for (const [bx, by] of points) {
    if (distanceToEdge(x, y, ax, ay, bx, by) <= tolerance) return true;
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
    [ax, ay] = [bx, by];
  }
  return inside;
}

function distanceToEdge(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / square));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

function polygonCenter(points: readonly [number, number][]): [number, number] {
  let area = 0;
  let cx = 0;
  let cy = 0;
  let [ax, ay] = points.at(-1) ?? [0, 0];
  for (const [bx, by] of points) {
    const cross = ax * by - bx * ay;
    area += cross;
    cx += (ax + bx) * cross;
    cy += (ay + by) * cross;
    [ax, ay] = [bx, by];
  }
  const centroid: [number, number] = [cx / (3 * area), cy / (3 * area)];
  return inPolygon(points, ...centroid) ? centroid : widestInside(points);
}

/** Returns the middle of the widest horizontal segment inside the polygon, halfway between two neighbouring corner heights. */
function widestInside(points: readonly [number, number][]): [number, number] {
  const heights = [...new Set(points.map((p) => p[1]))].toSorted((a, b) => a - b);
  let best: { point: [number, number]; width: number } = { point: points[0] ?? [0, 0], width: 0 };
  heights.slice(1).forEach((height, i) => {
    const y = (height + (heights[i] ?? height)) / 2;
    const crossings = points
      .map((a, k) => [a, points[(k + 1) % points.length] ?? a] as const)
      .filter(([a, b]) => a[1] > y !== b[1] > y)
      .map(([a, b]) => a[0] + ((y - a[1]) / (b[1] - a[1])) * (b[0] - a[0]))
      .toSorted((a, b) => a - b);
    for (let k = 0; k + 1 < crossings.length; k += 2) {
      const [left = 0, right = 0] = crossings.slice(k, k + 2);
      if (right - left > best.width) best = { point: [(left + right) / 2, y], width: right - left };
    }
  });
  return best.point;
}

/** A region of the screen, and what pointer and keys make of it. Whole pixels of a screen of 320x240. */

export const screen = { w: 320, h: 240 } as const;

export type Point = [x: number, y: number];
export type Region =
  | { id: string; rect: [x: number, y: number, w: number, h: number] }
  | { id: string; circle: [x: number, y: number, r: number] }
  | { id: string; polygon: Point[] };
export type Tool = 'rect' | 'circle' | 'polygon';

/** Shorter than this a drag was a click. */
const dragMin = 4;

/** Of what was kept: whether it can be drawn. */
export function isRegion(value: unknown): value is Region {
  if (typeof value !== 'object' || value === null) return false;
  const { id, rect, circle, polygon } = value as Record<string, unknown>;
  const drawable =
    areNumbers(rect, 4) || areNumbers(circle, 3) || (Array.isArray(polygon) && polygon.length > 0 && polygon.every((point) => areNumbers(point, 2)));
  return typeof id === 'string' && drawable;
}

function areNumbers(value: unknown, count: number): boolean {
  return Array.isArray(value) && value.length === count && value.every((each) => typeof each === 'number');
}

export function toolOf(region: Region): Tool {
  return 'rect' in region ? 'rect' : 'circle' in region ? 'circle' : 'polygon';
}

/** Where on the screen a pointer is. @param box the screen as it lies on the page */
export function onScreen(client: { clientX: number; clientY: number }, box: { left: number; top: number; width: number; height: number }): Point {
  return within([((client.clientX - box.left) / box.width) * screen.w, ((client.clientY - box.top) / box.height) * screen.h]);
}

/** A region drawn from one point to another: a rectangle's corners, a circle's middle and edge. @returns null where they lie too close for one */
export function drawn(tool: 'rect' | 'circle', id: string, from: Point, to: Point): Region | null {
  const [w, h] = [Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1])];
  if (tool === 'circle') {
    const r = Math.round(Math.hypot(w, h));
    return r < dragMin ? null : { id, circle: [from[0], from[1], r] };
  }
  return w < dragMin || h < dragMin ? null : { id, rect: [Math.min(from[0], to[0]), Math.min(from[1], to[1]), w, h] };
}

/** One to begin with, in the middle, for who draws by keys. */
export function placed(tool: Tool, id: string): Region {
  if (tool === 'rect') return { id, rect: [110, 80, 100, 80] };
  if (tool === 'circle') return { id, circle: [160, 120, 50] };
  const corners: Point[] = [
    [160, 70],
    [220, 170],
    [100, 170],
  ];
  return { id, polygon: corners };
}

/** Moved as far as the screen reaches. */
export function moved(region: Region, dx: number, dy: number): Region {
  if ('rect' in region) {
    const [x, y, w, h] = region.rect;
    return { ...region, rect: [clamp(x + dx, 0, screen.w - w), clamp(y + dy, 0, screen.h - h), w, h] };
  }
  if ('circle' in region) {
    const [x, y, r] = region.circle;
    return { ...region, circle: [clamp(x + dx, 0, screen.w), clamp(y + dy, 0, screen.h), r] };
  }
  const [xs, ys] = [region.polygon.map(([x]) => x), region.polygon.map(([, y]) => y)];
  const stepX = clamp(dx, -Math.min(...xs), screen.w - Math.max(...xs));
  const stepY = clamp(dy, -Math.min(...ys), screen.h - Math.max(...ys));
  return { ...region, polygon: region.polygon.map(([x, y]) => [x + stepX, y + stepY]) };
}

/** Where its shape can be taken hold of: a rectangle's far corner, a circle's edge, a polygon's corners. */
export function handles(region: Region): Point[] {
  if ('rect' in region) return [[region.rect[0] + region.rect[2], region.rect[1] + region.rect[3]]];
  if ('circle' in region) return [[region.circle[0] + region.circle[2], region.circle[1]]];
  return region.polygon;
}

/** Reshaped by one of its handles, which is pulled to a point. */
export function pulled(region: Region, handle: number, to: Point): Region {
  if ('rect' in region) {
    const [x, y] = region.rect;
    return { ...region, rect: [x, y, Math.max(1, to[0] - x), Math.max(1, to[1] - y)] };
  }
  if ('circle' in region) {
    const [x, y] = region.circle;
    return { ...region, circle: [x, y, Math.max(1, Math.round(Math.hypot(to[0] - x, to[1] - y)))] };
  }
  return { ...region, polygon: region.polygon.map((point, at) => (at === handle ? to : point)) };
}

/** An id that no region has yet. */
export function freeId(regions: readonly { id: string }[]): string {
  const taken = new Set(regions.map(({ id }) => id));
  let number = regions.length + 1;
  while (taken.has(`region-${number}`)) number += 1;
  return `region-${number}`;
}

function within([x, y]: Point): Point {
  return [clamp(Math.round(x), 0, screen.w), clamp(Math.round(y), 0, screen.h)];
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(Math.max(min, max), value));
}

/** Regions in whole screen pixels (320x240). */

export const screen = { w: 320, h: 240 } as const;

export type Point = [x: number, y: number];
export type Region =
  | { id: string; rect: [x: number, y: number, w: number, h: number] }
  | { id: string; circle: [x: number, y: number, r: number] }
  | { id: string; polygon: Point[] };
export type Tool = 'rect' | 'circle' | 'polygon';

/** Distance of the middle of a region's id from the region's upper edge. */
const labelDistance = 10;

/** Minimum length of a drag, pixels; a shorter one is a click. */
const dragMin = 4;

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

/** Converts a pointer position to screen pixels. @param box bounding box of the screen on the page */
export function onScreen(client: { clientX: number; clientY: number }, box: { left: number; top: number; width: number; height: number }): Point {
  return within([((client.clientX - box.left) / box.width) * screen.w, ((client.clientY - box.top) / box.height) * screen.h]);
}

/** Returns the region between two points: opposite corners, or centre and edge. @returns null if they are too close */
export function drawn(tool: 'rect' | 'circle', id: string, from: Point, to: Point): Region | null {
  const [w, h] = [Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1])];
  if (tool === 'circle') {
    const r = Math.round(Math.hypot(w, h));
    return r < dragMin ? null : { id, circle: [from[0], from[1], r] };
  }
  return w < dragMin || h < dragMin ? null : { id, rect: [Math.min(from[0], to[0]), Math.min(from[1], to[1]), w, h] };
}

/** Returns a region in the middle of the screen, for keyboard users. */
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

/** Returns a rectangle's far corner, a point on a circle's edge, a polygon's corners. */
export function handles(region: Region): Point[] {
  if ('rect' in region) return [[region.rect[0] + region.rect[2], region.rect[1] + region.rect[3]]];
  if ('circle' in region) return [[region.circle[0] + region.circle[2], region.circle[1]]];
  return region.polygon;
}

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

/** Returns where the id of a region stands: at its upper edge, since the eyes of the robot are in the middle of the screen; in a low region, in its middle. */
export function labelAt(region: Region): Point {
  if ('rect' in region) {
    const [x, y, w, h] = region.rect;
    return [x + w / 2, labelY(y, y + h)];
  }
  if ('circle' in region) {
    const [x, y, r] = region.circle;
    return [x, labelY(y - r, y + r)];
  }
  const ys = region.polygon.map(([, y]) => y);
  const y = labelY(Math.min(...ys), Math.max(...ys));
  const crossings = crossingsAt(y, region.polygon);
  const [left = region.polygon[0]![0], right = left] = crossings;
  return [(left + right) / 2, y];
}

function labelY(top: number, bottom: number): number {
  return Math.max(labelDistance, Math.min(top + labelDistance, (top + bottom) / 2));
}

/** Returns where the edges of a polygon cross a horizontal line, from left to right. */
function crossingsAt(y: number, polygon: readonly Point[]): number[] {
  return polygon
    .flatMap(([x1, y1], at) => {
      const [x2, y2] = polygon[(at + 1) % polygon.length]!;
      return y1 <= y === y2 <= y ? [] : [x1 + ((x2 - x1) * (y - y1)) / (y2 - y1)];
    })
    .toSorted((one, other) => one - other);
}

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

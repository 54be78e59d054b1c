/** Parallel projection: every flat face is an affine picture of itself, which SVG can draw. */

/** x to the viewer's right, y up, z to the viewer, if the robot looks ahead and the viewer stands in front of it. */
export type Vec = readonly [number, number, number];

export interface Axes {
  right: Vec;
  up: Vec;
  /** Direction it faces; `right` x `up`. */
  ahead: Vec;
}

/** @param yaw degrees, + turns it to the viewer's right. @param pitch degrees up */
export function axesOf(yaw: number, pitch: number): Axes {
  const [y, p] = [(yaw * Math.PI) / 180, (pitch * Math.PI) / 180];
  const right: Vec = [Math.cos(y), 0, -Math.sin(y)];
  const ahead: Vec = [Math.sin(y) * Math.cos(p), Math.sin(p), Math.cos(y) * Math.cos(p)];
  return { right, up: cross(ahead, right), ahead };
}

/** Projection for a viewer at `yaw` degrees around the robot who looks down at `elevation` degrees. */
export class Viewer {
  readonly #axes: Axes;

  constructor(yaw: number, elevation: number) {
    this.#axes = axesOf(yaw, elevation);
  }

  /** @returns drawing units, y down */
  see(point: Vec): readonly [number, number] {
    return [dot(point, this.#axes.right), -dot(point, this.#axes.up)];
  }

  /** Returns the cosine of the angle between the normal of a face and the viewer, -1..1; a face is hidden at 0 and below. */
  facing(normal: Vec): number {
    return dot(normal, this.#axes.ahead);
  }

  plane(origin: Vec, x: Vec, y: Vec): Matrix {
    return [...this.see(x), ...this.see(y), ...this.see(origin)];
  }
}

/** As in SVG and CSS: a, b, c, d, e, f. */
export type Matrix = readonly [number, number, number, number, number, number];

export function svgMatrix(matrix: Matrix): string {
  return `matrix(${matrix.map((value) => value.toFixed(4)).join(' ')})`;
}

export interface Block {
  center: Vec;
  axes: Axes;
  /** Half the width, height and depth, along `right`, `up` and `ahead`. */
  half: Vec;
  /** Radius of the four edges along `ahead`. */
  radius: number;
}

export interface Strip {
  points: string;
  light: number;
}

const light: Vec = [-0.4, 0.77, 0.5];
const cornerSteps = 16;

export function sides(viewer: Viewer, block: Block): Strip[] {
  const outline = rounded(block);
  const depth = block.half[2];
  const strips: Strip[] = [];
  for (const [index, from] of outline.entries()) {
    const to = outline[(index + 1) % outline.length]!;
    const [da, db] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(da, db);
    if (length < 1e-6) continue;
    const normal = along(block.axes, db / length, -da / length, 0);
    if (viewer.facing(normal) <= 0) continue;
    const corners = [at(block, from, depth), at(block, to, depth), at(block, to, -depth), at(block, from, -depth)];
    strips.push({ points: corners.map((corner) => pair(viewer.see(corner))).join(' '), light: litBy(normal) });
  }
  return strips;
}

export function cap(viewer: Viewer, block: Block): Strip & { isFront: boolean } {
  const isFront = viewer.facing(block.axes.ahead) > 0;
  const sign = isFront ? 1 : -1;
  const points = rounded(block).map((corner) => pair(viewer.see(at(block, corner, sign * block.half[2]))));
  return { points: points.join(' '), light: litBy(scale(block.axes.ahead, sign)), isFront };
}

export function within({ center, axes }: Block, a: number, b: number, c: number): Vec {
  return add(center, along(axes, a, b, c));
}

export function scale([x, y, z]: Vec, by: number): Vec {
  return [x * by, y * by, z * by];
}

function at(block: Block, [a, b]: readonly [number, number], c: number): Vec {
  return within(block, a, b, c);
}

function rounded({ half: [w, h], radius }: Block): [number, number][] {
  const corners: [number, number, number][] = [
    [w - radius, h - radius, 0],
    [radius - w, h - radius, 1],
    [radius - w, radius - h, 2],
    [w - radius, radius - h, 3],
  ];
  return corners.flatMap(([a, b, quarter]) =>
    Array.from({ length: cornerSteps + 1 }, (_, step): [number, number] => {
      const angle = ((quarter + step / cornerSteps) * Math.PI) / 2;
      return [a + radius * Math.cos(angle), b + radius * Math.sin(angle)];
    }),
  );
}

function litBy(normal: Vec): number {
  return Math.max(0, dot(normal, light)) / Math.hypot(...light);
}

function along({ right, up, ahead }: Axes, a: number, b: number, c: number): Vec {
  return add(add(scale(right, a), scale(up, b)), scale(ahead, c));
}

function add(p: Vec, q: Vec): Vec {
  return [p[0] + q[0], p[1] + q[1], p[2] + q[2]];
}

function dot(p: Vec, q: Vec): number {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

function cross(p: Vec, q: Vec): Vec {
  return [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
}

function pair([x, y]: readonly [number, number]): string {
  return `${x.toFixed(2)},${y.toFixed(2)}`;
}

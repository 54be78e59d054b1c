/** Dimensions of the robot, in drawing units, and positions of its parts for a pose. */
import { axesOf, scale, within, type Axes, type Block, type Vec, type Viewer } from './solid.js';
import { screenHeight, screenWidth } from './screen.js';

export const viewBox = { x: -225, y: -348, width: 450, height: 446 };

const baseHeight = 50;
const neck = 16;
const headHalf: Vec = [148, 118, 74];
const pivotHeight = baseHeight + neck + headHalf[1];
/** Drawing units per screen pixel. */
const pixel = 0.8;
const ledX = 168;
const ledZ = [100, 60, 20, -20, -60, -100] as const;

/** Orientation of a block whose front faces up. */
const upwards: Axes = { right: [1, 0, 0], up: [0, 0, -1], ahead: [0, 1, 0] };

export const base: Block = { center: [0, baseHeight / 2, 0], axes: upwards, half: [192, 140, baseHeight / 2], radius: 64 };
export const post: Block = {
  center: [0, (baseHeight + pivotHeight) / 2, -6],
  axes: upwards,
  half: [44, 40, (pivotHeight - baseHeight) / 2],
  radius: 22,
};

export function headAt(yaw: number, pitch: number): Block {
  return { center: [0, pivotHeight, 0], axes: axesOf(yaw, pitch), half: headHalf, radius: 46 };
}

/** Returns the SVG matrix of the head's front: origin in its middle, y down. */
export function frontPlane(viewer: Viewer, head: Block): string {
  return viewer.plane(within(head, 0, 0, headHalf[2]), head.axes.right, scale(head.axes.up, -1));
}

/** Returns the vertical offset that keeps the drawing centred at any elevation. */
export function lift(elevation: number): number {
  return 0.9 * pivotHeight * (Math.cos((elevation * Math.PI) / 180) - Math.cos((28 * Math.PI) / 180));
}

/** Transform of the screen, whose content is in screen pixels. */
export const screenTransform = `scale(${pixel}) translate(${-screenWidth / 2} ${-screenHeight / 2})`;

export const zones = ['front', 'middle', 'back'] as const;

/** Returns the SVG matrix of the head's top: origin in its middle, y to the front. */
export function topPlane(viewer: Viewer, head: Block): string {
  return viewer.plane(within(head, 0, headHalf[1], 0), head.axes.right, head.axes.ahead);
}

/** Returns the box of a touch zone in the plane of the head's top. */
export function zoneBox(zone: number): { x: number; y: number; width: number; height: number } {
  const height = (2 * headHalf[2] - 12) / 3;
  return { x: -96, y: headHalf[2] - 6 - (zone + 1) * height, width: 192, height };
}

/** Returns the SVG matrix of the base's top: origin in its middle, y to the front. */
export function baseTopPlane(viewer: Viewer): string {
  return viewer.plane([0, baseHeight, 0], [1, 0, 0], [0, 0, 1]);
}

/** Returns the position of an LED on the base's top; 0-5 are on the robot's left. */
export function ledPlace(index: number): { x: number; y: number } {
  return index < 6 ? { x: ledX, y: ledZ[index]! } : { x: -ledX, y: ledZ[11 - index]! };
}

/** Dimensions of the robot, in drawing units, and positions of its parts for a pose. */
import { axesOf, scale, svgMatrix, within, type Axes, type Block, type Matrix, type Vec, type Viewer } from './solid.js';
import { screenHeight, screenWidth } from './screen-size.js';

export const viewBox = { x: -225, y: -348, width: 450, height: 446 };

const baseHeight = 50;
const neck = 16;
const headHalf: Vec = [148, 118, 74];
const pivotHeight = baseHeight + neck + headHalf[1];
/** Drawing units per screen pixel. */
export const pixel = 0.8;
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

/** @returns SVG matrix: origin in the middle, y down */
export function frontPlane(viewer: Viewer, head: Block): string {
  return svgMatrix(frontMatrix(viewer, head));
}

function frontMatrix(viewer: Viewer, head: Block): Matrix {
  return viewer.plane(within(head, 0, 0, headHalf[2]), head.axes.right, scale(head.axes.up, -1));
}

/** Keeps the drawing centred at any elevation. */
export function lift(elevation: number): number {
  return 0.9 * pivotHeight * (Math.cos((elevation * Math.PI) / 180) - Math.cos((28 * Math.PI) / 180));
}

export const screenTransform = `scale(${pixel}) translate(${-screenWidth / 2} ${-screenHeight / 2})`;

export const zones = ['front', 'middle', 'back'] as const;

/** @returns SVG matrix: origin in the middle, y to the front */
export function topPlane(viewer: Viewer, head: Block): string {
  return svgMatrix(viewer.plane(within(head, 0, headHalf[1], 0), head.axes.right, head.axes.ahead));
}

/** @returns a box in the plane of the head's top */
export function zoneBox(zone: number): { x: number; y: number; width: number; height: number } {
  const height = (2 * headHalf[2] - 12) / 3;
  return { x: -96, y: headHalf[2] - 6 - (zone + 1) * height, width: 192, height };
}

/** @returns SVG matrix: origin in the middle, y to the front */
export function baseTopPlane(viewer: Viewer): string {
  return svgMatrix(baseTopMatrix(viewer));
}

function baseTopMatrix(viewer: Viewer): Matrix {
  return viewer.plane([0, baseHeight, 0], [1, 0, 0], [0, 0, 1]);
}

/** @param index 0-5 are on the robot's left */
export function ledPlace(index: number): { x: number; y: number } {
  return index < 6 ? { x: ledX, y: ledZ[index]! } : { x: -ledX, y: ledZ[11 - index]! };
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The part of the plane of the base's top that the light of the LEDs reaches. */
export const ledsBox: Box = { x: -272, y: -204, width: 544, height: 408 };
const faceBox: Box = { x: (-screenWidth * pixel) / 2, y: (-screenHeight * pixel) / 2, width: screenWidth * pixel, height: screenHeight * pixel };

/** @returns style of an element that covers `ledsBox` @param raised how far down the robot is drawn */
export function ledsPlace(viewer: Viewer, raised: number): Record<string, string> {
  return placed(ledsBox, baseTopMatrix(viewer), raised);
}

/** @returns style of an element that covers the screen */
export function facePlace(viewer: Viewer, head: Block, raised: number): Record<string, string> {
  return placed(faceBox, frontMatrix(viewer, head), raised);
}

/** Lengths are shares of the drawing, which has any size on the page. */
function placed({ x, y, width, height }: Box, [a, b, c, d, e, f]: Matrix, raised: number): Record<string, string> {
  const percent = (share: number): string => `${(100 * share).toFixed(3)}%`;
  const left = a * x + c * y + e - viewBox.x;
  const top = b * x + d * y + f + raised - viewBox.y;
  return {
    width: percent(width / viewBox.width),
    height: percent(height / viewBox.height),
    transform: `translate(${percent(left / width)}, ${percent(top / height)}) matrix(${[a, b, c, d].map((value) => value.toFixed(4)).join(', ')}, 0, 0)`,
  };
}

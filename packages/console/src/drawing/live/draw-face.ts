import { faceColors, livePlace, livePose, poseShapes, stillPose, type FaceShape } from '@perch/screen/own-screen';
import { screenHeight, screenWidth } from '../screen-size.js';
import type { Context, LiveScene } from './scene.js';

export interface FaceFrame {
  place: { x: number; y: number; scale: number };
  shapes: FaceShape[];
}

export function faceFrame({ life, isStill }: LiveScene, ms: number): FaceFrame {
  const { x, y, scale } = livePlace(life, isStill ? Infinity : ms);
  const rounded = { x: Math.round(10 * x) / 10, y: Math.round(10 * y) / 10, scale: Math.round(1000 * scale) / 1000 };
  return { place: rounded, shapes: poseShapes(isStill ? stillPose(life) : livePose(life, ms)) };
}

/** @param scale device pixels per screen pixel */
export function drawFace(context: Context, scale: number, { place, shapes }: FaceFrame): void {
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, screenWidth, screenHeight);
  context.translate(place.x, place.y);
  context.scale(place.scale, place.scale);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  for (const { path, color, line, opacity = 1 } of shapes) {
    const shape = new Path2D(path);
    context.globalAlpha = opacity;
    if (line === undefined) {
      context.fillStyle = faceColors[color];
      // oxlint-disable-next-line no-array-fill-with-reference-type
      context.fill(shape);
    } else {
      context.strokeStyle = faceColors[color];
      context.lineWidth = line;
      context.stroke(shape);
    }
  }
  context.globalAlpha = 1;
}

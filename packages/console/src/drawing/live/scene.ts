/** Contents of the animated parts of the drawing: plain data, which is sent to the worker that draws them. */
import type { FaceLife } from '@perch/screen/own-screen';
import type { LedLooks } from '../looks.js';

export interface LiveScene {
  life: FaceLife;
  /** False while something covers the face. */
  isFaceShown: boolean;
  /** Null: all LEDs are off. */
  leds: LedLooks | null;
  /** Draws one still picture, for users who prefer reduced motion. */
  isStill: boolean;
}

export type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export interface Canvases<Canvas> {
  face: Canvas;
  leds: Canvas;
}

export type LiveMessage =
  | { kind: 'canvases'; canvases: Canvases<OffscreenCanvas> }
  | { kind: 'scene'; scene: LiveScene }
  /** Device pixels per unit of the drawing. */
  | { kind: 'scale'; scale: number }
  | { kind: 'seen'; isSeen: boolean };

/** Returns the time on a clock that the page and its workers share, ms. */
export function liveMs(): number {
  return performance.timeOrigin + performance.now();
}

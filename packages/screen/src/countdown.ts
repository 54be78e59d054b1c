import { tidyText } from './graphemes.js';
import type { Rect, Scene, TextBox } from './scene.js';
import { textBox, type TextStyle } from './text-box.js';

export interface Countdown {
  rest: number;
  /** Text that replaces it at its end. Default: 0:00. */
  done?: string;
}

/** Above this many seconds, a frame lasts `longStep` seconds. */
const longRest = 3600;
const longStep = 10;

/** Returns the seconds left that a countdown shows: all of them up to an hour, and above it a multiple of ten that is not less. */
export function shownRest(rest: number): number {
  return rest > longRest ? Math.ceil(rest / longStep) * longStep : rest;
}

/** Returns the `shownRest` that follows one, which is not 0. */
export function nextRest(rest: number): number {
  return shownRest(rest > longRest ? rest - longStep : rest - 1);
}

/** Returns seconds as 4:59 or 1:02:03. */
export function restText(rest: number): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  const [hours, minutes, seconds] = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

export function countdownBox(area: Rect, { rest, done }: Countdown, style: TextStyle): TextBox[] {
  const text = tidyText(done ?? '');
  return textBox(area, '0', style).map((box) => withRest({ ...box, countdown: text === '' ? {} : { done: text } }, rest));
}

/** Works from the scene alone: a robot-link draws the frames of a card that a gateway, maybe of another release, laid out. */
export function countdownFrame(scene: Scene, rest: number): Scene {
  return { ...scene, boxes: scene.boxes.map((box) => (box.kind === 'text' && box.countdown !== undefined ? withRest(box, rest) : box)) };
}

function withRest({ name: _name, ...box }: TextBox, rest: number): TextBox {
  const done = rest > 0 ? undefined : box.countdown?.done;
  return done === undefined ? { ...box, linesMax: 1, text: restText(rest) } : { ...box, linesMax: 3, text: done, name: 'countdown.done' };
}

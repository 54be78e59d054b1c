/**
 * Scenes that are one uploaded picture: the whole screen, or as small as a sticker.
 */
import { parseColor } from '@perch/schema/plain';
import { screen, type Scene } from './scene.js';
import { theme } from './theme.js';

/** Largest side of a fitted picture, px: more than any screen of these robots. */
const sideMax = 1024;

/** The picture, whole, in the middle of the screen; `background` (#rrggbb or a name, default dark blue) fills what it leaves free. */
export function pictureScene(upload: string, background?: string): Scene {
  return {
    w: screen.w,
    h: screen.h,
    background: background === undefined ? theme.background : parseColor(background),
    boxes: [{ kind: 'image', x: 0, y: 0, w: screen.w, h: screen.h, upload, fit: 'contain' }],
  };
}

/** The picture alone, made smaller where it does not fit, transparent where it was: stickers and other pictures of the robot's own commands. */
export function fittedScene(upload: string, wMax: number, hMax: number): Scene {
  const w = Math.round(Math.min(sideMax, Math.max(1, wMax)));
  const h = Math.round(Math.min(sideMax, Math.max(1, hMax)));
  return { w, h, background: 'transparent', boxes: [{ kind: 'image', x: 0, y: 0, w, h, upload, fit: 'contain' }], shrink: true };
}

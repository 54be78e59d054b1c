import { parseColor } from '@perch/schema/plain';
import { screen, type Scene } from './scene.js';
import { theme } from './theme.js';

/** Maximum side of a fitted picture, px: more than the screen of any supported robot. */
const sideMax = 1024;

/**
 * Returns the whole picture, centred. @param upload sha256 @param background #rrggbb or a name, fills the rest. Default: dark blue, and white for a
 * transparent picture that would not be seen on it
 */
export function pictureScene(upload: string, background?: string): Scene {
  return {
    w: screen.w,
    h: screen.h,
    background: background === undefined ? theme.background : parseColor(background),
    boxes: [
      {
        kind: 'image',
        x: 0,
        y: 0,
        w: screen.w,
        h: screen.h,
        upload,
        fit: 'contain',
        ...(background === undefined ? { backing: theme.backing } : {}),
      },
    ],
  };
}

/** Returns a scene of the picture alone, shrunk to fit but never enlarged, keeping transparency: for the robot's own commands. */
export function fittedScene(upload: string, wMax: number, hMax: number): Scene {
  const w = Math.round(Math.min(sideMax, Math.max(1, wMax)));
  const h = Math.round(Math.min(sideMax, Math.max(1, hMax)));
  return { w, h, background: 'transparent', boxes: [{ kind: 'image', x: 0, y: 0, w, h, upload, fit: 'contain' }], shrink: true };
}

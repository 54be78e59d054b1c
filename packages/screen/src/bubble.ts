/** Lays out the text of a speech bubble as a picture, for robots whose fonts lack the script. The robot draws the bubble around it. */
import { textEms, tidyText } from './graphemes.js';
import type { Scene } from './scene.js';
import { textBox } from './text-box.js';
import { theme } from './theme.js';

const size = 22;
const lineHeight = 29;
const pad = 10;
const widthMax = 296;
const linesMax = 4;

/** Returns the scene of a bubble's text: dark on white, sized to the text, at most 296 x 136 px. */
export function bubbleScene(text: string): Scene {
  const tidy = tidyText(text);
  const widths = tidy.split('\n').map((line) => textEms(line) * size * 1.08);
  const w = Math.round(Math.min(widthMax, Math.max(40, ...widths) + 2 * pad));
  const lines = widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / (widthMax - 2 * pad))), 0);
  const h = Math.min(linesMax, lines) * lineHeight + 2 * pad;
  const boxes = textBox({ x: pad, y: pad, w: w - 2 * pad, h: h - 2 * pad }, tidy, { color: theme.dark, sizeMax: size, sizeMin: 12, linesMax: 6 });
  return { w, h, background: theme.bubble, boxes };
}

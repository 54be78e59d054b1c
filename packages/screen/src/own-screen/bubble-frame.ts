import type { Rect } from '../scene.js';
import { wrapText } from './wrap-text.js';

export const bubbleColors = { ground: '#ffffff', ink: '#12151c' } as const;

export interface BubbleFrame {
  /** The bubble on the screen, px. */
  rect: Rect;
  radius: number;
  /** The point towards the face: SVG path data, in px from the bubble's upper left corner. */
  pointer: string;
  /** Font size and line height, px. */
  size: number;
  lineHeight: number;
  lines: string[];
}

const width = 300;
const pointerHeight = 14;
const pad = 14;
const padTop = 8;
const bottom = 232;
const sizes = [22, 20, 18] as const;
const linesMax = 6;

/** Returns the speech bubble of a face: at the lower edge of the screen, in the largest size at which the text takes up to three lines. */
export function bubbleFrame(text: string): BubbleFrame {
  const set = sizes.map((size) => ({ size, lines: wrapText(text, (width - 2 * pad) / size) }));
  const { size, lines: all } = set.find(({ lines }) => lines.length <= 3) ?? set.at(-1)!;
  const lines = all.slice(0, linesMax);
  const lineHeight = size * 1.25;
  const h = Math.round(lines.length * lineHeight) + 2 * padTop;
  return { rect: { x: 10, y: bottom - h, w: width, h }, radius: 14, pointer: `M140 2 L150 -${pointerHeight} L166 2 Z`, size, lineHeight, lines };
}

/** Returns the highest point of a bubble, px: the tip of its pointer. */
export function bubbleTop(text: string): number {
  return bubbleFrame(text).rect.y - pointerHeight;
}

export function bubbleText({ rect }: BubbleFrame): Rect {
  return { x: rect.x + pad, y: rect.y + padTop, w: rect.w - 2 * pad, h: rect.h - 2 * padTop };
}

/** Returns the baseline of a line, px from the bubble's upper edge. */
export function bubbleBaseline({ lineHeight }: BubbleFrame, line: number): number {
  return padTop + lineHeight * (line + 0.78);
}

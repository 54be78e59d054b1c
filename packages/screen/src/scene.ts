/**
 * The scene of a layout: boxes with texts and pictures, in drawing order.
 * A scene is plain JSON, positions everything in whole pixels, and never depends on a font. The renderer, which has the fonts, fits each text into its box.
 */
import type { Target } from '@perch/schema';

export interface FillBox {
  kind: 'fill';
  x: number;
  y: number;
  w: number;
  h: number;
  /** #rrggbb */
  color: string;
  /** Corner radius, px. */
  radius?: number;
  /** Drawn inside the edge of the box. */
  border?: { color: string; width: number };
}

export interface TextBox {
  kind: 'text';
  x: number;
  y: number;
  w: number;
  h: number;
  /** Result of `tidyText`; `\n` separates paragraphs. */
  text: string;
  /** #rrggbb */
  color: string;
  /** Font sizes in px. The renderer uses the largest size at which the text fits; at `sizeMin` it truncates between grapheme clusters. */
  sizeMax: number;
  sizeMin: number;
  linesMax: number;
  /** `left` is the start of a line: the right side for right-to-left text. */
  align: 'left' | 'center';
  valign: 'top' | 'middle' | 'bottom';
  weight: 400 | 700;
  /** Texts of a group get the font size of the smallest one, but are not reduced below 20 px for it. */
  group?: string;
}

export interface ImageBox {
  kind: 'image';
  x: number;
  y: number;
  w: number;
  h: number;
  /** sha256 hex of the uploaded bytes. */
  upload: string;
  fit: 'contain' | 'cover';
  /** Corner radius of the drawn picture, px. */
  radius?: number;
}

export type Box = FillBox | TextBox | ImageBox;

export interface Scene {
  w: number;
  h: number;
  /** #rrggbb, or `transparent`, which becomes dark blue in a JPEG. */
  background: string;
  boxes: Box[];
  /** If true, `w` and `h` are maxima: the rendered picture has the size of its one image, fitted into them and never enlarged. */
  shrink?: true;
}

/** A scene with its tappable regions; target i belongs to answer or item i. */
export interface TappableScene {
  scene: Scene;
  targets: Target[];
}

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** The robot's screen, px. */
export const screen = { w: 320, h: 240 } as const;

/** Distance of buttons and tiles from the screen's edge and from each other, px. */
export const gap = 8;

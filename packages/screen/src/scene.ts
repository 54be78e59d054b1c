/**
 * What a layout is made of: boxes with their texts and pictures, in drawing order.
 * A scene is plain JSON and says where everything is in whole pixels; it never depends on a font. The renderer, who owns the fonts, fits each text into its box.
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
  /** Drawn inside the box's edge. */
  border?: { color: string; width: number };
}

export interface TextBox {
  kind: 'text';
  x: number;
  y: number;
  w: number;
  h: number;
  /** Tidied and bounded by `tidyText`; `\n` separates paragraphs. */
  text: string;
  /** #rrggbb */
  color: string;
  /** Font sizes in px: the largest one at which the text fits is taken; at `sizeMin` the text is cut between grapheme clusters. */
  sizeMax: number;
  sizeMin: number;
  linesMax: number;
  /** `left` is the side where a line starts: the right one for a right-to-left text. */
  align: 'left' | 'center';
  valign: 'top' | 'middle' | 'bottom';
  weight: 400 | 700;
  /** Texts of one group look alike: the larger ones come down to the smallest one's size, though not below 20 px for its sake. */
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
  /** #rrggbb, or `transparent`: kept by a PNG, dark blue in a JPEG. */
  background: string;
  boxes: Box[];
  /** `w` and `h` are the most it may take: the finished picture has the size of its one image, fitted into them and never enlarged. */
  shrink?: true;
}

/** A scene with what can be tapped in it; target i belongs to answer or item i. */
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

/** Distance of buttons and tiles from the edge of the screen and from each other, px. */
export const gap = 8;

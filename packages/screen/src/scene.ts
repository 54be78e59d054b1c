/** A layout as plain JSON, in whole pixels but for vector drawings, in drawing order. It depends on no font: the renderer fits texts. */
import type { PictureNotes, Target } from '@perch/schema';

export interface FillBox extends Rect {
  kind: 'fill';
  /** #rrggbb */
  color: string;
  radius?: number;
  /** Drawn inside the edge of the box. */
  border?: { color: string; width: number };
}

export interface TextBox extends Rect {
  kind: 'text';
  /** Result of `tidyText`, of `tidyLines` in the monospace font, or of `exactText`; `\n` separates paragraphs. */
  text: string;
  /** No other text looks like it: signs tell white space, the ends of lines and those of the text apart. */
  exact?: true;
  /** Path of the argument that the text comes from, for the notes. */
  name?: string;
  color: string;
  /** Font sizes in px. The renderer uses the largest size at which the text fits; at `sizeMin` it truncates between grapheme clusters. */
  sizeMax: number;
  sizeMin: number;
  linesMax: number;
  /** `start` is the left side, and the right side for right-to-left text. */
  align: 'start' | 'left' | 'center' | 'right';
  valign: 'top' | 'middle' | 'bottom';
  weight: 400 | 700;
  /** Colour of a plate behind the text, whose own colour is hard to read on the background. */
  plate?: string;
  /** In the monospace font, where it has the character. */
  mono?: true;
  lang?: string;
  /** Number, from 0, of the page that is drawn of a text that does not fit; absent: it is cut. */
  page?: number;
  /** A tap on it turns the page, as the mark of the page then says: in English words, or with an arrow. */
  pageTurn?: 'words' | 'arrow';
  /** Emoji have no colours. */
  grey?: true;
  /** The box shows the time left, or `done` at the end; see `countdownFrame`. The renderer draws `text`. */
  countdown?: { done?: string };
  /** Texts of a group get the font size of the smallest one, but are not reduced below 20 px for it. */
  group?: string;
}

export interface ImageBox extends Rect {
  kind: 'image';
  /** sha256 hex of the uploaded bytes. */
  upload: string;
  fit: 'contain' | 'cover';
  radius?: number;
  /** Fills the box behind a transparent picture whose visible pixels are nearly black, #rrggbb. Renderers of 0.10 fill nothing. */
  backing?: string;
}

/** Markdown, which the renderer parses and lays out in its box: bold, lists, code and tables; anything else becomes its text. */
export interface MarkdownBox extends Rect {
  kind: 'markdown';
  /** Result of `tidyLines`. */
  text: string;
  name?: string;
  color: string;
  /** Colour behind code, and of the lines in tables, #rrggbb. */
  shade: string;
  sizeMax: number;
  sizeMin: number;
  align: TextBox['align'];
  lang?: string;
}

/** An icon of Lucide, as large as fits into the box and in its middle. */
export interface IconBox extends Rect {
  kind: 'icon';
  name: string;
  color: string;
}

/** A QR code with its quiet zone: dark on white, whatever the colours of the card. */
export interface QrBox extends Rect {
  kind: 'qr';
  /** Width of a module, px. */
  module: number;
  /** A text of 0 (light) and 1 (dark) for each row of modules, without the quiet zone. */
  rows: string[];
}

/** A line through values, from the left to the right of the box. */
export interface SparklineBox extends Rect {
  kind: 'sparkline';
  /** 0..1, bottom to top; null: a gap. */
  values: (number | null)[];
  color: string;
  /** Colour of the area below the line, #rrggbb. */
  shade: string;
}

export interface PathBox extends Rect {
  kind: 'path';
  /** Size of the drawing in the units of `path`; it is scaled to the box, and may extend beyond it. */
  units: { w: number; h: number };
  path: string;
  color: string;
  /** Width of the line, in the units of `path`. Default: the path is filled. */
  line?: number;
  opacity?: number;
}

export type Box = FillBox | TextBox | MarkdownBox | ImageBox | IconBox | PathBox | QrBox | SparklineBox;

export interface Scene {
  w: number;
  h: number;
  /** #rrggbb, or `transparent`, which becomes dark blue in a JPEG. */
  background: string;
  boxes: Box[];
  /** The picture's notes as far as the layout knows them; the renderer adds those that depend on fonts. */
  notes?: PictureNotes;
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

export const screen = { w: 320, h: 240 } as const;

/** Distance of buttons and tiles from the screen's edge and from each other, px. */
export const gap = 8;

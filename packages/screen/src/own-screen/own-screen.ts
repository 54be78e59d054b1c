/** Lays out the robot's own screen, which shows where no card or question covers it: the face, with or without a bubble, or the readings. */
import { tidyText } from '../graphemes.js';
import { layoutNotes } from '../layout-notes.js';
import { screen, type Box, type Rect, type Scene } from '../scene.js';
import { textBox } from '../text-box.js';
import { bubbleColors, bubbleFrame, bubbleText, bubbleTop } from './bubble-frame.js';
import { faceColors, facePlace, faceShapes } from '../face/face-shapes.js';
import { readingsColors, readingsText, readingsTiles, type ReadingsShown } from './readings-tiles.js';

export interface OwnScreen {
  /** `face` or `readings`; anything else is drawn as the face. */
  view: string;
  emotion: string;
  /** Text of the speech bubble; null: none. It is not drawn over readings. */
  bubble: string | null;
  readings: ReadingsShown;
  /** Language of the bubble, BCP 47. */
  lang?: string;
}

export function ownScreenScene({ view, emotion, bubble, readings, lang }: OwnScreen): Scene {
  const ground = { w: screen.w, h: screen.h, background: faceColors.ground };
  if (view === 'readings') return { ...ground, boxes: readingsBoxes(readings) };
  const boxes = [...faceBoxes(emotion, bubble === null ? null : bubbleTop(tidyText(bubble))), ...bubbleBoxes(bubble, lang)];
  return { ...ground, boxes, ...layoutNotes({ text: bubble ?? '' }) };
}

function faceBoxes(emotion: string, top: number | null): Box[] {
  const { x, y, scale } = facePlace(top);
  return faceShapes(emotion).map(({ path, color, line, opacity }) => ({
    kind: 'path',
    x,
    y,
    w: screen.w * scale,
    h: screen.h * scale,
    units: screen,
    path,
    color: faceColors[color],
    ...(line === undefined ? {} : { line }),
    ...(opacity === undefined ? {} : { opacity }),
  }));
}

function bubbleBoxes(bubble: string | null, lang: string | undefined): Box[] {
  const text = tidyText(bubble ?? '');
  if (text === '') return [];
  const frame = bubbleFrame(text);
  const { rect, radius, pointer, size } = frame;
  return [
    { kind: 'path', x: rect.x, y: rect.y, w: rect.w, h: rect.h, units: { w: rect.w, h: rect.h }, path: pointer, color: bubbleColors.ground },
    { kind: 'fill', ...rect, color: bubbleColors.ground, radius },
    ...textBox(bubbleText(frame), text, {
      color: bubbleColors.ink,
      sizeMax: size,
      sizeMin: 16,
      linesMax: 8,
      name: 'text',
      ...(lang === undefined ? {} : { lang }),
    }),
  ];
}

function readingsBoxes(readings: ReadingsShown): Box[] {
  const { left, nameSize, valueSize, radius } = readingsText;
  return readingsTiles(readings).flatMap(({ rect, name, value }): Box[] => {
    const line = (y: number, h: number): Rect => ({ x: rect.x + left, y: rect.y + y, w: rect.w - left - 8, h });
    const style = { align: 'left', linesMax: 1 } as const;
    return [
      { kind: 'fill', ...rect, color: readingsColors.tile, radius },
      ...textBox(line(6, 22), name, { ...style, color: readingsColors.name, sizeMax: nameSize, sizeMin: nameSize, weight: 400 }),
      ...textBox(line(29, 34), value, { ...style, color: readingsColors.value, sizeMax: valueSize, sizeMin: 16 }),
    ];
  });
}

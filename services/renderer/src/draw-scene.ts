import type { FillBox, ImageBox, PathBox, Scene } from '@perch/screen';
import { createCanvas, Path2D, type Canvas, type Image, type SKRSContext2D } from 'canvas';
import { BadPicture } from '@perch/schema/plain';
import { DrawnNotes } from './drawn-notes.js';
import { drawTexts } from './text/draw-text.js';
import { drawQr, drawSparkline, drawIcon } from './draw-figures.js';
import { drawMarkdown } from './markdown/draw-markdown.js';
import { decodePicture, drawImage, sizeWithin } from './fit-picture.js';

/** @param uploads bytes by sha256 @param notes receives what the fonts decide @throws {BadPicture} naming an upload that cannot be drawn */
export async function drawScene(scene: Scene, uploads: ReadonlyMap<string, Buffer>, notes = new DrawnNotes()): Promise<Canvas> {
  const first = scene.boxes.find((box) => box.kind === 'image');
  const shrunk = scene.shrink && first ? await decoded(first, uploads) : null;
  const { w, h } = shrunk ? sizeWithin(shrunk, scene.w, scene.h) : scene;
  const canvas = createCanvas(w, h);
  const context = canvas.getContext('2d');
  if (scene.background !== 'transparent') {
    context.fillStyle = scene.background;
    context.fillRect(0, 0, w, h);
  }
  for (const box of scene.boxes) {
    if (box.kind === 'fill') drawFill(context, box);
    else if (box.kind === 'icon') drawIcon(context, box);
    else if (box.kind === 'markdown') await drawMarkdown(context, box, notes);
    else if (box.kind === 'qr') drawQr(context, box);
    else if (box.kind === 'sparkline') drawSparkline(context, box);
    else if (box.kind === 'path') drawPath(context, box);
    // Decode one picture at a time and release it: a large one takes 64 MB while it is drawn.
    else if (box.kind === 'image') drawImage(context, shrunk ?? (await decoded(box, uploads)), shrunk ? { ...box, x: 0, y: 0, w, h } : box);
  }
  await drawTexts(
    context,
    scene.boxes.filter((box) => box.kind === 'text'),
    notes,
  );
  return canvas;
}

async function decoded({ upload }: ImageBox, uploads: ReadonlyMap<string, Buffer>): Promise<Image> {
  const bytes = uploads.get(upload);
  if (!bytes) throw new BadPicture(upload, 'The picture is no longer stored. Send it again.');
  return decodePicture(bytes, upload);
}

function drawFill(context: SKRSContext2D, box: FillBox): void {
  const radius = Math.min(box.radius ?? 0, box.w / 2, box.h / 2);
  const inset = box.border?.width ?? 0;
  if (box.border) {
    context.fillStyle = box.border.color;
    fillRound(context, box.x, box.y, box.w, box.h, radius);
  }
  context.fillStyle = box.color;
  fillRound(context, box.x + inset, box.y + inset, box.w - 2 * inset, box.h - 2 * inset, Math.max(0, radius - inset));
}

function drawPath(context: SKRSContext2D, { x, y, w, h, units, path, color, line, opacity = 1 }: PathBox): void {
  const shape = new Path2D(path);
  context.save();
  context.translate(x, y);
  context.scale(w / units.w, h / units.h);
  context.globalAlpha = opacity;
  context.fillStyle = color;
  context.strokeStyle = color;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- a canvas, not an array
  if (line === undefined) context.fill(shape);
  else {
    context.lineWidth = line;
    context.stroke(shape);
  }
  context.restore();
}

function fillRound(context: SKRSContext2D, x: number, y: number, w: number, h: number, radius: number): void {
  context.beginPath();
  context.roundRect(x, y, w, h, radius);
  context.fill();
}

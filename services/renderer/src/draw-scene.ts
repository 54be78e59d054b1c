/** Scene -> pixels. Where everything is was decided by the layout; here are only fonts, pictures and colour. */
import type { Box, FillBox, Scene } from '@perch/screen';
import { createCanvas, type Canvas, type Image, type SKRSContext2D } from 'canvas';
import { BadPicture } from '@perch/schema';
import { drawTexts } from './draw-text.js';
import { decodePicture, drawImage, sizeWithin } from './fit-picture.js';

/**
 * Draws the scene. A scene that shrinks takes the size of its picture.
 * @param uploads bytes of the pictures by sha256
 * @throws {BadPicture} naming the upload, when one is missing or cannot be drawn
 */
export async function drawScene(scene: Scene, uploads: ReadonlyMap<string, Buffer>): Promise<Canvas> {
  const images = await decodeAll(scene, uploads);
  const { w, h } = sceneSize(scene, images);
  const canvas = createCanvas(w, h);
  const context = canvas.getContext('2d');
  if (scene.background !== 'transparent') {
    context.fillStyle = scene.background;
    context.fillRect(0, 0, w, h);
  }
  for (const box of scene.boxes) drawBox(context, scene.shrink && box.kind === 'image' ? { ...box, x: 0, y: 0, w, h } : box, images);
  drawTexts(
    context,
    scene.boxes.filter((box) => box.kind === 'text'),
  );
  return canvas;
}

/** Fills and pictures; texts come together, after them. */
function drawBox(context: SKRSContext2D, box: Box, images: Map<string, Image>): void {
  switch (box.kind) {
    case 'fill':
      drawFill(context, box);
      return;
    case 'text':
      return;
    case 'image': {
      const image = images.get(box.upload);
      if (image) drawImage(context, image, box);
    }
  }
}

/** The border lies inside the box. */
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

function fillRound(context: SKRSContext2D, x: number, y: number, w: number, h: number, radius: number): void {
  context.beginPath();
  context.roundRect(x, y, w, h, radius);
  context.fill();
}

/** One after the other: a large picture takes 64 MB while it is decoded. */
async function decodeAll(scene: Scene, uploads: ReadonlyMap<string, Buffer>): Promise<Map<string, Image>> {
  const images = new Map<string, Image>();
  for (const box of scene.boxes) {
    if (box.kind !== 'image' || images.has(box.upload)) continue;
    const bytes = uploads.get(box.upload);
    if (!bytes) throw new BadPicture(box.upload, 'The picture is no longer stored. Send it again.');
    images.set(box.upload, await decodePicture(bytes, box.upload));
  }
  return images;
}

function sceneSize(scene: Scene, images: Map<string, Image>): { w: number; h: number } {
  const [image] = images.values();
  return scene.shrink && image ? sizeWithin(image, scene.w, scene.h) : scene;
}

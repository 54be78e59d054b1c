/** Pictures of callers for the gallery, made here so that they are the same everywhere. */
import { createCanvas } from 'canvas';

function photo(w: number, h: number): Buffer {
  const canvas = createCanvas(w, h);
  const context = canvas.getContext('2d');
  const sky = context.createLinearGradient(0, 0, 0, h);
  sky.addColorStop(0, '#2a6fdb');
  sky.addColorStop(0.6, '#ffd9a0');
  sky.addColorStop(0.61, '#2f7d4f');
  sky.addColorStop(1, '#0f3d24');
  context.fillStyle = sky;
  context.fillRect(0, 0, w, h);
  context.fillStyle = '#fff3c4';
  context.beginPath();
  context.arc(w * 0.7, h * 0.35, Math.min(w, h) * 0.12, 0, 7);
  context.fill();
  context.fillStyle = '#ffffff';
  for (let x = 0; x < w; x += 8) context.fillRect(x, h * 0.8, 4, h * 0.1);
  return canvas.toBuffer('image/png');
}

function dot(): Buffer {
  const canvas = createCanvas(64, 64);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ff5fa2';
  context.beginPath();
  context.arc(32, 32, 30, 0, 7);
  context.fill();
  return canvas.toBuffer('image/png');
}

export const galleryPictures: ReadonlyMap<string, Buffer> = new Map([
  ['photo', photo(1200, 675)],
  ['tall', photo(300, 900)],
  ['dot', dot()],
]);

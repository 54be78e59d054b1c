/** Contact sheets: the scenes of a sheet side by side, at their size. */
import { screen, type Scene } from '@perch/screen';
import { createCanvas, type Canvas } from 'canvas';
import { drawScene } from '../../src/draw-scene.js';
import { galleryPictures } from './pictures.js';

const columns = 4;
const gap = 8;
const paper = '#6b7280';

export function cellOf(i: number): { x: number; y: number } {
  return { x: gap + (i % columns) * (screen.w + gap), y: gap + Math.floor(i / columns) * (screen.h + gap) };
}

/** Returns a scene as large as the screen: bubbles and shrunk pictures are smaller, and the rest is paper. */
export async function drawCell(scene: Scene): Promise<Canvas> {
  const cell = createCanvas(screen.w, screen.h);
  const context = cell.getContext('2d');
  context.fillStyle = paper;
  context.fillRect(0, 0, screen.w, screen.h);
  context.drawImage(await drawScene(scene, galleryPictures), 0, 0);
  return cell;
}

export async function drawSheet(scenes: readonly Scene[]): Promise<Canvas> {
  const rows = Math.ceil(scenes.length / columns);
  const sheet = createCanvas(gap + Math.min(columns, scenes.length) * (screen.w + gap), gap + rows * (screen.h + gap));
  const context = sheet.getContext('2d');
  context.fillStyle = paper;
  context.fillRect(0, 0, sheet.width, sheet.height);
  for (const [i, scene] of scenes.entries()) {
    const { x, y } = cellOf(i);
    context.drawImage(await drawCell(scene), x, y);
  }
  return sheet;
}

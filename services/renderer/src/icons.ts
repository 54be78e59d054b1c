import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IconBox } from '@perch/screen';
import { Path2D, type SKRSContext2D } from 'canvas';

const file = join(fileURLToPath(new URL('../', import.meta.url)), 'fonts/icons.json');
/** Side of the area in which the paths lie, and the width of their strokes. */
const grid = 24;
const strokeWidth = 2;

let paths: Record<string, string> | undefined;

export function drawIcon(context: SKRSContext2D, box: IconBox): void {
  const data = iconPath(box.name);
  // A gateway of a later release may know more icons.
  if (data === undefined) return;
  const side = Math.min(box.w, box.h);
  context.save();
  context.translate(box.x + (box.w - side) / 2, box.y + (box.h - side) / 2);
  context.scale(side / grid, side / grid);
  context.strokeStyle = box.color;
  context.lineWidth = strokeWidth;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.stroke(new Path2D(data));
  context.restore();
}

export function iconPath(name: string): string | undefined {
  paths ??= JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  return Object.hasOwn(paths, name) ? paths[name] : undefined;
}

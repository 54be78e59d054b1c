/** Draws the parts of a card that are neither text nor picture: QR codes, sparklines and icons. */
import type { QrBox, SparklineBox, IconBox } from '@perch/screen';
import { type SKRSContext2D, Path2D } from 'canvas';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const light = '#ffffff';
const dark = '#000000';

/** Draws whole pixels without smoothing, so that edges stay sharp for scanners. */
export function drawQr(context: SKRSContext2D, { x, y, w, h, module, rows }: QrBox): void {
  context.fillStyle = light;
  context.fillRect(x, y, w, h);
  const quiet = (w - rows.length * module) / 2;
  context.fillStyle = dark;
  rows.forEach((row, i) => {
    for (const { index, 0: run } of row.matchAll(/1+/g))
      context.fillRect(x + quiet + index * module, y + quiet + i * module, run.length * module, module);
  });
}

const lineWidth = 3;
const dotRadius = 5;
const loneRadius = 2.5;

export function drawSparkline(context: SKRSContext2D, box: SparklineBox): void {
  const pad = dotRadius + 1;
  const step = (box.w - 2 * pad) / Math.max(1, box.values.length - 1);
  const points = box.values.map((value, i) =>
    value === null ? null : { x: box.x + pad + i * step, y: box.y + pad + (1 - value) * (box.h - 2 * pad) },
  );
  context.save();
  context.lineWidth = lineWidth;
  context.lineJoin = 'round';
  context.lineCap = 'round';
  context.strokeStyle = box.color;
  for (const run of runsOf(points)) {
    const [first, last] = [run[0], run.at(-1)];
    if (first === undefined || last === undefined) continue;
    if (run.length === 1) {
      drawDot(context, first, loneRadius, box.color);
      continue;
    }
    const bottom = box.y + box.h;
    context.fillStyle = box.shade;
    context.beginPath();
    context.moveTo(first.x, bottom);
    for (const point of run) context.lineTo(point.x, point.y);
    context.lineTo(last.x, bottom);
    context.fill();
    context.beginPath();
    for (const point of run) context.lineTo(point.x, point.y);
    context.stroke();
  }
  const end = points.at(-1);
  if (end) drawDot(context, end, dotRadius, box.color);
  context.restore();
}

interface Point {
  x: number;
  y: number;
}

function runsOf(points: readonly (Point | null)[]): Point[][] {
  const runs: Point[][] = [[]];
  for (const point of points) {
    if (point === null) runs.push([]);
    else runs.at(-1)?.push(point);
  }
  return runs;
}

function drawDot(context: SKRSContext2D, { x, y }: Point, radius: number, color: string): void {
  context.fillStyle = color;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

const iconsFile = join(fileURLToPath(new URL('../', import.meta.url)), 'fonts/icons.json');
/** Side of the area in which the paths lie, and the width of their strokes. */
const gridSide = 24;
const strokeWidth = 2;

let paths: Record<string, string> | undefined;

export function drawIcon(context: SKRSContext2D, box: IconBox): void {
  const data = iconPath(box.name);
  // A gateway of a later release may know more icons.
  if (data === undefined) return;
  const side = Math.min(box.w, box.h);
  context.save();
  context.translate(box.x + (box.w - side) / 2, box.y + (box.h - side) / 2);
  context.scale(side / gridSide, side / gridSide);
  context.strokeStyle = box.color;
  context.lineWidth = strokeWidth;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.stroke(new Path2D(data));
  context.restore();
}

export function iconPath(name: string): string | undefined {
  paths ??= JSON.parse(readFileSync(iconsFile, 'utf8')) as Record<string, string>;
  return Object.hasOwn(paths, name) ? paths[name] : undefined;
}

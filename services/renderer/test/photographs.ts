/** Pictures like photographs: the spectrum of natural scenes (amplitude falls with frequency), light, blurred edges, a camera's noise. */
import { createCanvas, type Canvas, type SKRSContext2D } from 'canvas';

type Rgb = readonly [number, number, number];

export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param detail amplitude of the texture: 0.3 is a portrait, 1 is foliage */
export function photograph(seed: number, detail: number, w = 320, h = 240): Canvas {
  const random = randomFrom(seed);
  const canvas = createCanvas(w, h);
  const context = canvas.getContext('2d');
  const color = (): Rgb => [40 + 180 * random(), 40 + 180 * random(), 40 + 180 * random()];
  const [sky, ground] = [color(), color()];
  const background = context.createLinearGradient(0, 0, 0, h);
  background.addColorStop(0, css(sky));
  background.addColorStop(1, css(ground));
  context.fillStyle = background;
  context.fillRect(0, 0, w, h);
  for (let i = 0; i < 12; i++) drawObject(context, random, color(), w, h);
  addTexture(context, random, detail, w, h);
  return canvas;
}

function drawObject(context: SKRSContext2D, random: () => number, color: Rgb, w: number, h: number): void {
  const [x, y, r] = [random() * w, random() * h, 10 + random() * 60];
  const light = context.createRadialGradient(x - r / 3, y - r / 3, r / 8, x, y, r);
  light.addColorStop(0, css(color.map((value) => Math.min(255, value + 50)) as unknown as Rgb));
  light.addColorStop(0.97, css(color.map((value) => value * 0.6) as unknown as Rgb));
  light.addColorStop(1, css(color.map((value) => value * 0.6) as unknown as Rgb, 0));
  context.fillStyle = light;
  context.beginPath();
  context.ellipse(x, y, r, r * (0.5 + random()), random() * 3, 0, 2 * Math.PI);
  context.fill();
}

/** Adds octaves of smoothed noise, mostly of brightness, and the noise of a sensor. */
function addTexture(context: SKRSContext2D, random: () => number, detail: number, w: number, h: number): void {
  const pixels = context.getImageData(0, 0, w, h);
  const { data } = pixels;
  for (const [cell, amplitude] of [
    [32, 30],
    [16, 22],
    [8, 15],
    [4, 9],
    [2, 5],
  ] as const) {
    const columns = Math.ceil(w / cell) + 2;
    const grid = Array.from({ length: columns * (Math.ceil(h / cell) + 2) }, () => random() * 2 - 1);
    for (let y = 0; y < h; y++) {
      const gy = Math.floor(y / cell);
      const fy = y / cell - gy;
      for (let x = 0; x < w; x++) {
        const gx = Math.floor(x / cell);
        const fx = x / cell - gx;
        const at = gy * columns + gx;
        const upper = grid[at]! * (1 - fx) + grid[at + 1]! * fx;
        const lower = grid[at + columns]! * (1 - fx) + grid[at + columns + 1]! * fx;
        const value = (upper * (1 - fy) + lower * fy) * amplitude * detail;
        const i = 4 * (y * w + x);
        data[i]! += value;
        data[i + 1]! += value * 0.95;
        data[i + 2]! += value * 0.85;
      }
    }
  }
  for (let i = 0; i < data.length; i++) if (i % 4 !== 3) data[i]! += (random() + random() - 1) * 4;
  context.putImageData(pixels, 0, 0);
}

function css([r, g, b]: Rgb, alpha = 1): string {
  return `rgba(${Math.round(r)}, ${Math.round(g)}, ${Math.round(b)}, ${alpha})`;
}

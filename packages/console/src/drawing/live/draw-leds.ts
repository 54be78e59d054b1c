import { brightness, mixed, screenColor, type Light } from '../led-light.js';
import { ledPlace, ledsBox } from '../shape.js';
import type { Context } from './scene.js';

/** Radius of the light on the base near an LED, and of the faint light further away, drawing units. */
const near = 62;
const far = 100;
/** Opacity of the light at shares of the radius: it falls roughly with the square of the distance. */
const falloff = [
  [0, 0.9],
  [0.12, 0.66],
  [0.3, 0.33],
  [0.5, 0.14],
  [0.75, 0.04],
  [1, 0],
] as const;
/** Time in which an LED covers most of the way to another brightness, ms. */
const glowMs = 55;

/** Draws lamps and their light, which adds where it overlaps. @param scale device pixels per drawing unit */
export function drawLeds(context: Context, scale: number, lights: readonly Light[]): void {
  context.setTransform(scale, 0, 0, scale, -scale * ledsBox.x, -scale * ledsBox.y);
  context.clearRect(ledsBox.x, ledsBox.y, ledsBox.width, ledsBox.height);
  context.globalCompositeOperation = 'lighter';
  for (const [index, light] of lights.entries()) {
    const share = brightness(light);
    if (share < 0.01) continue;
    drawGlow(context, index, light, near, 0.75 * share);
    drawGlow(context, index, light, far, 0.22 * share ** 2);
  }
  context.globalCompositeOperation = 'source-over';
  for (const [index, light] of lights.entries()) drawLamp(context, index, light);
  context.globalAlpha = 1;
}

/** Returns the lights a moment later: brightness rises and falls, and does not jump. */
export function glowed(shown: readonly Light[], target: readonly Light[], ms: number): Light[] {
  const share = 1 - Math.exp(-ms / glowMs);
  return target.map((light, index) => {
    const next = mixed(shown[index] ?? light, light, share);
    return next.every((channel, at) => Math.abs(channel - light[at]!) < 0.002) ? light : next;
  });
}

function drawGlow(context: Context, index: number, light: Light, radius: number, opacity: number): void {
  const { x, y } = ledPlace(index);
  const color = screenColor(light);
  const gradient = context.createRadialGradient(x, y, 0, x, y, radius);
  for (const [at, share] of falloff) gradient.addColorStop(at, color + hex(share));
  context.globalAlpha = opacity;
  context.fillStyle = gradient;
  context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
}

function drawLamp(context: Context, index: number, light: Light): void {
  const { x, y } = ledPlace(index);
  const share = brightness(light);
  if (share < 0.01) return;
  context.globalAlpha = Math.min(1, share * 1.6);
  context.fillStyle = screenColor(light);
  capsule(context, x, y, 7, 15);
  context.globalAlpha = 0.6 * share ** 2;
  context.fillStyle = '#ffffff';
  capsule(context, x, y, 3, 9);
}

function capsule(context: Context, x: number, y: number, halfWidth: number, halfHeight: number): void {
  context.beginPath();
  context.roundRect(x - halfWidth, y - halfHeight, 2 * halfWidth, 2 * halfHeight, halfWidth);
  context.fill();
}

function hex(opacity: number): string {
  return Math.round(opacity * 255)
    .toString(16)
    .padStart(2, '0');
}

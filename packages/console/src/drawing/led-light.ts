/**
 * Converts LED duties back to screen colours. Duties are linear; the service computes them from screen colours with sRGB's transfer function, and
 * reduces green and blue, whose dies are brighter.
 */

/** Red, green and blue, each 0..1. */
export type Light = readonly [number, number, number];

/** Share of the full duty of each channel that together looks white. */
const whiteBalance: Light = [1, 176 / 255, 240 / 255];

export const dark: Light = [0, 0, 0];

/** Returns the perceived linear light of `#rrggbb` duties; a channel may exceed the range of a screen. */
export function lightOf(duty: string): Light {
  const share = (at: number, balance: number): number => Number.parseInt(duty.slice(at, at + 2), 16) / 255 / balance;
  return [share(1, whiteBalance[0]), share(3, whiteBalance[1]), share(5, whiteBalance[2])];
}

export function dimmed([r, g, b]: Light, share: number): Light {
  return [r * share, g * share, b * share];
}

export function mixed(a: Light, b: Light, share: number): Light {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
}

export function screenColor(light: Light): string {
  return `#${light
    .map((channel) =>
      Math.round(encoded(Math.min(1, Math.max(0, channel))) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

export function brightness(light: Light): number {
  return encoded(Math.min(1, Math.max(...light)));
}

function encoded(linear: number): number {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055;
}

/**
 * All 12 LEDs at white draw more than a battery-powered robot of this size supplies beside its servos. Model: 20 mA for each of an LED's three
 * channels at full duty (Worldsemi's WS2812 data sheet; Adafruit's NeoPixel guide counts 60 mA for an LED), in proportion to the duty: balanced white
 * draws 631 mA. Up to 60 % of the limit duties are sent as they are, above it more and more slowly: greys stay distinct up to white, and hues stay.
 */
import { channelsOf, hexOf, ledColor } from './led-color.js';

export const ledMaDefault = 400;

const maPerChannel = 20;
const ledCount = 12;
const untouchedShare = 0.6;

export function currentMa(pixels: readonly string[]): number {
  return pixels.reduce((sum, pixel) => sum + channelsOf(pixel).reduce((duties, duty) => duties + duty, 0), 0) * (maPerChannel / 255);
}

const whiteMa = ledCount * currentMa([ledColor('#ffffff')]);

export function limitedPixels(pixels: readonly string[], maxMa: number): string[] {
  const share = shareOf(currentMa(pixels), maxMa);
  return share === 1 ? [...pixels] : pixels.map((pixel) => scaled(pixel, share));
}

/** Returns the colours with the duties that keep the robot within `maxMa` when all LEDs show one of them, as an effect may. */
export function limitedColors(colors: readonly string[], maxMa: number): string[] {
  return colors.map((color) => scaled(color, shareOf(ledCount * currentMa([color]), maxMa)));
}

function shareOf(ma: number, maxMa: number): number {
  const untouched = untouchedShare * maxMa;
  if (whiteMa <= maxMa || ma <= untouched) return 1;
  return (untouched + ((ma - untouched) * (maxMa - untouched)) / (whiteMa - untouched)) / ma;
}

function scaled(color: string, share: number): string {
  // Rounded down: 36 channels rounded up could exceed the limit together. A lit channel stays lit.
  return share === 1 ? color : hexOf(channelsOf(color).map((duty) => (duty === 0 ? 0 : Math.max(1, Math.floor(duty * share)))));
}

/**
 * A screen's #rrggbb is sRGB, an LED's duty cycle linear: unconverted, mixed colours look washed out and dark ones far too bright. At equal duty
 * green and blue outshine red, hence a factor per channel. A channel that is a visible share of the colour stays above 0.
 */
import { colorNames, type ColorName } from '@perch/schema';

/** Shares of the full duty that together look white, judged by eye; the values of FastLED's `TypicalLEDStrip` (255, 176, 240). */
const whiteBalance = [1, 176 / 255, 240 / 255] as const;

const linear = Array.from({ length: 256 }, (_, value) => lightShare(value / 255));

/**
 * Conversion alone gave yellow the duties of amber, and a name means a hue rather than a shade. Hues by eye on WS2812 LEDs by Adafruit (CircuitPython
 * LED Animation, color.py: ORANGE 255, 40, 0; YELLOW 255, 150, 0; AMBER 255, 100, 0; PURPLE 180, 0, 255); others at the balance above.
 */
const named: Readonly<Record<ColorName, string>> = {
  red: '#ff0000',
  orange: '#ff2800',
  yellow: '#ff9600',
  green: '#00b000',
  cyan: '#00b0f0',
  blue: '#0000f0',
  purple: '#b400f0',
  pink: '#ff1457',
  white: '#ffb0f0',
};

const dutiesOf = new Map(Object.entries(colorNames).map(([name, screen]) => [screen as string, channelsOf(named[name as ColorName])]));

/** @param color `#rrggbb` in sRGB @param share of the light 0..1, for a partly lit or dimmed LED @returns `#rrggbb` as linear duty cycles */
export function ledColor(color: string, share = 1): string {
  const known = dutiesOf.get(color);
  const channels = known ?? channelsOf(color);
  const brightest = Math.max(...channels);
  return hexOf(
    channels.map((value, i) => {
      const duty = Math.round((known === undefined ? (linear[value] ?? 0) * (whiteBalance[i] ?? 1) * 255 : value) * share);
      return duty === 0 && share > 0 && value > 0 && value * 2 >= brightest ? 1 : duty;
    }),
  );
}

export function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

export function hexOf(channels: readonly number[]): string {
  return `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the share of the light that looks like this share of the brightness: half as bright is about a fifth of the light. */
export function lightShare(brightness: number): number {
  return brightness <= 0.04045 ? brightness / 12.92 : ((brightness + 0.055) / 1.055) ** 2.4;
}

/** Colours of the `leds.effect` rainbow: six, evenly spaced on the colour wheel. */
export const rainbowColors: readonly string[] = ['#ff0000', '#ffff00', '#00ff00', '#00ffff', '#0000ff', '#ff00ff'];

export const ledsOff: readonly string[] = Array.from({ length: 12 }, () => '#000000');

/**
 * Returns the bar on both strips, `share` (0..1) of their length, from the screen end; the last LED is partly lit. `light`: share of a full LED.
 * Indices as in robot-link.md: 0-5 left, from the screen end to the back; 6-11 right, from the back to the screen end.
 */
export function ledBar(color: string, share: number, light = 1): string[] {
  const pixels = [...ledsOff];
  for (let i = 0; i < 6; i++) {
    const lit = Math.min(1, Math.max(0, share * 6 - i));
    // Less than a hundredth of an LED is a rounding error of the client's arithmetic.
    if (lit < 0.01) break;
    pixels[i] = ledColor(color, lit * light);
    pixels[11 - i] = ledColor(color, lit * light);
  }
  return pixels;
}

/** All 12 LEDs at white draw more than a battery-powered robot of this size supplies beside its servos. Model: 20 mA for each of an LED's three
 * channels at full duty (Worldsemi's WS2812 data sheet; Adafruit's NeoPixel guide counts 60 mA for an LED), in proportion to the duty: balanced white
 * draws 631 mA. Up to 60 % of the limit duties are sent as they are, above it more and more slowly: greys stay distinct up to white, and hues stay. */
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

/**
 * Converts screen colours to the duty cycles that make an LED look the same.
 *
 * A screen's #rrggbb is sRGB: half the number is about a fifth of the light. An LED's duty cycle is linear: half the number is half the light.
 * Unconverted, mixed colours look washed out and dark ones far too bright, so each channel is converted with sRGB's transfer function.
 * The three dies of a WS2812-type LED also differ: at equal duty, green and blue outshine red and white looks bluish, hence a factor per channel.
 * A channel that is a visible share of the colour stays above 0, since one step is the least an LED can show.
 */

/** Shares of the full duty that together look white, judged by eye; the values of FastLED's `TypicalLEDStrip` (255, 176, 240). */
const whiteBalance = [1, 176 / 255, 240 / 255] as const;

const linear = Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

/**
 * Converts a colour.
 * @param color `#rrggbb` in sRGB
 * @param share brightness 0..1, for a partly lit LED
 * @returns `#rrggbb` as linear duty cycles
 */
export function ledColor(color: string, share = 1): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  const brightest = Math.max(...channels);
  const duties = channels.map((value, i) => {
    const duty = Math.round((linear[value] ?? 0) * (whiteBalance[i] ?? 1) * share * 255);
    return duty === 0 && share > 0 && value > 0 && value * 2 >= brightest ? 1 : duty;
  });
  return `#${duties.map((duty) => duty.toString(16).padStart(2, '0')).join('')}`;
}

/** Converted colours of the `leds.effect` rainbow: six, evenly spaced on the colour wheel. */
export const rainbowPalette: readonly string[] = ['#ff0000', '#ffff00', '#00ff00', '#00ffff', '#0000ff', '#ff00ff'].map((color) => ledColor(color));

export const ledsOff: readonly string[] = Array.from({ length: 12 }, () => '#000000');

/**
 * Returns the colours of a bar on both strips, from the screen end, `share` (0..1) of their length; the LED where the bar ends is partly lit.
 * Indices as in robot-link.md: 0-5 left, from the screen end to the back; 6-11 right, from the back to the screen end.
 */
export function ledBar(color: string, share: number): string[] {
  const pixels = [...ledsOff];
  for (let i = 0; i < 6; i++) {
    const lit = Math.min(1, Math.max(0, share * 6 - i));
    // Less than a hundredth of an LED is a rounding error of the client's arithmetic.
    if (lit < 0.01) break;
    pixels[i] = ledColor(color, lit);
    pixels[11 - i] = ledColor(color, lit);
  }
  return pixels;
}

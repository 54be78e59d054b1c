/** The colours of `leds.set`, the most frequent command: one or twelve, concatenated. Quoted, they were half of an action's bytes through Redis. */
import { limits } from '@perch/schema';

type Args = Record<string, unknown>;

const { count } = limits.leds;
const colorChars = '#rrggbb'.length;

/** @returns null for other commands and for arguments that do not fit the form */
export function packLeds(name: string, { pixels, ...more }: Args): string | null {
  if (name !== 'leds.set' || !Array.isArray(pixels) || pixels.length !== count) return null;
  for (const _ in more) return null;
  const first: unknown = pixels[0];
  let same = true;
  for (const pixel of pixels as unknown[]) {
    if (typeof pixel !== 'string' || pixel.length !== colorChars) return null;
    same &&= pixel === first;
  }
  return same ? (first as string) : pixels.join('');
}

/** @returns null when the text is not as long as one colour or twelve */
export function unpackLeds(packed: string): Args | null {
  if (packed.length !== colorChars && packed.length !== count * colorChars) return null;
  const one = packed.length === colorChars;
  return { pixels: Array.from({ length: count }, (_, i) => (one ? packed : packed.slice(i * colorChars, (i + 1) * colorChars))) };
}

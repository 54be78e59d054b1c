/** Emoji drawn from the pictures of Noto Emoji: Skia splits these joined sequences, although the font has a glyph for each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadImage, type Image } from 'canvas';

const folder = fileURLToPath(new URL('../../fonts/emoji', import.meta.url));

const files = new Map([
  ['❤\u200d🔥', 'heart-on-fire.svg'],
  ['❤\u200d🩹', 'mending-heart.svg'],
  ['⛓\u200d💥', 'broken-chain.svg'],
  ['🏳\u200d🌈', 'rainbow-flag.svg'],
]);
const images = new Map<string, Image>();

/** Width of a sprite with its margins, in ems: that of the font's emoji. */
export const spriteEms = 1.245;

export function isSprite(cluster: string): boolean {
  return files.has(bare(cluster));
}

export async function loadSprites(text: string): Promise<void> {
  for (const [cluster, file] of files) {
    if (images.has(cluster) || !bare(text).includes(cluster)) continue;
    images.set(cluster, await loadImage(readFileSync(join(folder, file))));
  }
}

/** @throws if `loadSprites` was not called with the text */
export function spriteOf(cluster: string): Image {
  const image = images.get(bare(cluster));
  if (image === undefined) throw new Error('a sprite was not loaded');
  return image;
}

/** Removes the selector of emoji presentation, which is optional in a sequence. */
function bare(text: string): string {
  return text.replaceAll('\ufe0f', '');
}

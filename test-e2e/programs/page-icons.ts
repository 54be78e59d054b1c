/** `node --import tsx --conditions=source test-e2e/programs/page-icons.ts`: draws the icons of the installed page from packages/console/src/ui/icon.svg. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createCanvas, loadImage } from 'canvas';

const file = (path: string): URL => new URL(`../../packages/console/${path}`, import.meta.url);
const svg = readFileSync(file('src/ui/icon.svg'), 'utf8');
const paper = '#faf9f6';

/** @param share of the side that the drawing takes: systems cut maskable icons to a circle of 80 % @param ground null: transparent */
async function icon(side: number, share: number, ground: string | null): Promise<Buffer> {
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  if (ground !== null) {
    context.fillStyle = ground;
    context.fillRect(0, 0, side, side);
  }
  const drawn = Math.round(side * share);
  const picture = await loadImage(Buffer.from(svg.replace('<svg ', `<svg width="${drawn}" height="${drawn}" `)));
  context.drawImage(picture, (side - drawn) / 2, (side - drawn) / 2, drawn, drawn);
  return canvas.toBuffer('image/png');
}

function ico(png: Buffer, side: number): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.writeUInt8(side, 6);
  header.writeUInt8(side, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

const write = (name: string, bytes: Buffer): void => writeFileSync(file(`public/${name}`), bytes);
write('icon-192.png', await icon(192, 0.9, null));
write('icon-512.png', await icon(512, 0.9, null));
write('icon-maskable-512.png', await icon(512, 0.6, paper));
write('apple-touch-icon.png', await icon(180, 0.75, paper));
write('favicon.ico', ico(await icon(32, 1, null), 32));

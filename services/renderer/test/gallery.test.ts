import './no-host-fonts.js';
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isIcon } from '@perch/schema';
import { createCanvas, loadImage, type Canvas } from 'canvas';
import pixelmatch from 'pixelmatch';
import { cellOf, drawCell } from './gallery/sheet.js';
import { sheets } from './gallery/sheets.js';
import { rendererFolder } from './programs/fonts.js';

/** The tolerance that docs/gallery/README.md states. */
const threshold = 0.1;
const shareMax = 0.001;

const gallery = join(rendererFolder, '../../docs/gallery');
const failures = join(rendererFolder, '../../.perch/gallery-failures');

function pixelsOf(canvas: Canvas, x: number, y: number, w: number, h: number): Uint8ClampedArray {
  return new Uint8ClampedArray(canvas.getContext('2d').getImageData(x, y, w, h).data);
}

describe('the gallery', () => {
  it('has at least 80 scenes', () => {
    assert.ok(Object.values(sheets).flat().length >= 80);
  });

  it('names only icons that exist', () => {
    const icons = Object.values(sheets).flatMap((scenes) => scenes.flatMap(({ boxes }) => boxes.filter((box) => box.kind === 'icon')));
    assert.ok(icons.length > 40);
    for (const { name } of icons) assert.ok(isIcon(name), name);
  });

  for (const [name, scenes] of Object.entries(sheets)) {
    it(`shows the scenes of ${name} as they are drawn now`, async () => {
      const image = await loadImage(readFileSync(join(gallery, `${name}.png`)));
      const sheet = createCanvas(image.width, image.height);
      sheet.getContext('2d').drawImage(image, 0, 0);
      for (const [i, scene] of scenes.entries()) {
        const drawn = await drawCell(scene);
        const { width: w, height: h } = drawn;
        const { x, y } = cellOf(i);
        const difference = new Uint8ClampedArray(w * h * 4);
        const count = pixelmatch(pixelsOf(sheet, x, y, w, h), pixelsOf(drawn, 0, 0, w, h), difference, w, h, { threshold });
        if (count <= shareMax * w * h) continue;
        mkdirSync(failures, { recursive: true });
        const file = join(failures, `${name}-${i}.png`);
        writeFileSync(file, drawn.toBuffer('image/png'));
        assert.fail(`scene ${i} of ${name} differs in ${count} pixels; drawn now: ${file}. If the change is meant, run npm run gallery.`);
      }
    });
  }
});

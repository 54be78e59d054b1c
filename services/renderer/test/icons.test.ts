import './no-host-fonts.js';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allIcons } from '@perch/schema';
import { cardScene, menuScene, questionScene, theme, type Scene } from '@perch/screen';
import type { Canvas } from 'canvas';
import { drawScene } from '../src/draw-scene.js';
import { iconPath } from '../src/draw-figures.js';
import { rendererFolder } from './programs/fonts.js';
import { iconPathsFile, iconTagsFile } from './programs/icons.js';

function ink(canvas: Canvas, { x, y, w, h }: { x: number; y: number; w: number; h: number }): number {
  const { data } = canvas.getContext('2d').getImageData(x, y, w, h);
  let pixels = 0;
  for (let i = 4; i < data.length; i += 4) if ([0, 1, 2].some((c) => Math.abs((data[i + c] ?? 0) - (data[c] ?? 0)) > 40)) pixels++;
  return pixels;
}

describe('icons', () => {
  it('has the icons of lucide-static in the renderer and in the schema', () => {
    assert.equal(readFileSync(join(rendererFolder, 'fonts/icons.json'), 'utf8'), iconPathsFile());
    assert.equal(readFileSync(join(rendererFolder, '../../packages/schema/src/values/icon-tags.generated.ts'), 'utf8'), iconTagsFile());
  });

  it('draws every icon inside its box', async () => {
    for (const { name } of allIcons()) {
      assert.notEqual(iconPath(name), undefined, name);
      const scene: Scene = { w: 48, h: 48, background: '#000000', boxes: [{ kind: 'icon', x: 8, y: 8, w: 32, h: 32, name, color: '#ffffff' }] };
      const canvas = await drawScene(scene, new Map());
      assert.ok(ink(canvas, { x: 8, y: 8, w: 32, h: 32 }) >= 4, name);
      const whole = ink(canvas, { x: 0, y: 0, w: 48, h: 48 });
      assert.equal(whole, ink(canvas, { x: 7, y: 7, w: 34, h: 34 }), name);
    }
  });

  it('draws icons in the colour of the text on cards, buttons and tiles', async () => {
    const scenes = [
      cardScene({ icon: 'bell', text: 'Tea', color: '#ffcc00' }),
      questionScene({ question: 'Ready?', answers: ['Yes', 'No'], icons: ['check', 'x'] }).scene,
      menuScene({ items: [{ icon: 'pizza', label: 'Pizza' }, { icon: 'salad' }] }, []).scene,
    ];
    for (const scene of scenes) {
      const canvas = await drawScene(scene, new Map());
      const icons = scene.boxes.filter((box) => box.kind === 'icon');
      assert.ok(icons.length > 0);
      for (const box of icons) {
        assert.ok([theme.text, '#ffcc00'].includes(box.color));
        assert.ok(ink(canvas, box) > 20);
      }
    }
  });
});

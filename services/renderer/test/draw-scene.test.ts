import './no-host-fonts.js';
import assert from 'node:assert/strict';
import {
  bubbleScene,
  cardScene,
  fittedScene,
  menuScene,
  pictureScene,
  questionScene,
  theme,
  tidyText,
  type Scene,
  type TextBox,
} from '@perch/screen';
import type { Canvas } from 'canvas';
import fc from 'fast-check';
import { BadPicture } from '@perch/schema';
import { drawScene } from '../src/draw-scene.js';
import { halves } from './pictures.js';

const uploads = new Map([['halves', halves(320, 160).toBuffer('image/png')]]);

function hexAt(canvas: Canvas, x: number, y: number): string {
  const [r = 0, g = 0, b = 0] = canvas.getContext('2d').getImageData(x, y, 1, 1).data;
  return `#${[r, g, b].map((v) => v.toString(16).padStart(2, '0')).join('')}`;
}

function count(canvas: Canvas, area: { x: number; y: number; w: number; h: number }, color: string): number {
  const { data } = canvas.getContext('2d').getImageData(area.x, area.y, area.w, area.h);
  const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(color.slice(i, i + 2), 16));
  let found = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] === r && data[i + 1] === g && data[i + 2] === b) found++;
  return found;
}

async function ink(
  change: Partial<TextBox> & { text: string },
): Promise<{ left: number; right: number; top: number; bottom: number; pixels: number }> {
  const text: TextBox = {
    kind: 'text',
    x: 20,
    y: 20,
    w: 280,
    h: 200,
    color: '#ffffff',
    sizeMax: 40,
    sizeMin: 12,
    linesMax: 10,
    align: 'center',
    valign: 'middle',
    weight: 700,
    ...change,
  };
  const canvas = await drawScene({ w: 320, h: 240, background: '#000000', boxes: [text] }, new Map());
  const { data } = canvas.getContext('2d').getImageData(0, 0, 320, 240);
  const found = { left: 320, right: -1, top: 240, bottom: -1, pixels: 0 };
  for (let i = 0; i < data.length; i += 4) {
    if ((data[i] ?? 0) + (data[i + 1] ?? 0) + (data[i + 2] ?? 0) < 90) continue;
    const [x, y] = [(i / 4) % 320, Math.floor(i / 4 / 320)];
    found.left = Math.min(found.left, x);
    found.right = Math.max(found.right, x);
    found.top = Math.min(found.top, y);
    found.bottom = Math.max(found.bottom, y);
    found.pixels++;
  }
  return found;
}

describe('drawScene', () => {
  it('draws each button of a question where it can be tapped, with its answer on it', async () => {
    for (const answers of [
      ['Yes', 'No'],
      ['A', 'B', 'C'],
      ['one', 'two', 'three', 'four'],
      ['A rather long answer to it', 'Another rather long answer'],
    ]) {
      const { scene, targets } = questionScene({ question: 'Ready?', answers });
      const canvas = await drawScene(scene, new Map());
      for (const target of targets) {
        assert.ok(target.shape === 'rect');
        const { x, y, w, h } = target;
        assert.ok(count(canvas, target, theme.button) > 0.5 * w * h);
        assert.ok(count(canvas, target, theme.text) > 20);
        assert.equal(hexAt(canvas, x + w / 2, y + 1), theme.buttonEdge);
        if (y + h + 2 < 240) assert.equal(hexAt(canvas, x + w / 2, y + h + 2), theme.background);
      }
      assert.ok(count(canvas, { x: 0, y: 0, w: 320, h: 80 }, theme.text) > 100);
    }
  });

  it('draws the pictures of a menu inside their tiles', async () => {
    const { scene, targets } = menuScene({ items: [{ label: 'a' }, { label: 'b' }, { label: 'c' }] }, ['halves', null, 'halves']);
    const canvas = await drawScene(scene, uploads);
    const red = targets.map((target) => (target.shape === 'rect' ? count(canvas, target, '#ff0000') : 0));
    assert.ok((red[0] ?? 0) > 500 && red[1] === 0 && red[2] === red[0]);
  });

  it('draws a card in the colours it was given', async () => {
    const canvas = await drawScene(cardScene({ text: 'Danger', title: 'Alert', background: '#102030', color: '#ff8800', progress: 0.5 }), new Map());
    assert.equal(hexAt(canvas, 0, 0), '#102030');
    assert.ok(count(canvas, { x: 0, y: 0, w: 320, h: 52 }, '#ff8800') > 50);
    assert.ok(count(canvas, { x: 0, y: 60, w: 320, h: 130 }, '#ff8800') > 1000);
    const bar = { y: 206, h: 18 };
    assert.equal(hexAt(canvas, 40, bar.y + bar.h / 2), '#ff8800');
    assert.notEqual(hexAt(canvas, 280, bar.y + bar.h / 2), '#ff8800');
  });

  it('draws a whole picture in the middle over the background', async () => {
    const canvas = await drawScene(pictureScene('halves', 'white'), uploads);
    assert.equal(hexAt(canvas, 160, 20), '#ffffff');
    assert.equal(hexAt(canvas, 160, 220), '#ffffff');
    assert.equal(hexAt(canvas, 10, 120), '#ff0000');
    assert.equal(hexAt(canvas, 310, 120), '#0000ff');
  });

  it('gives a sticker the size of its picture, and keeps its transparent pixels', async () => {
    const canvas = await drawScene(fittedScene('halves', 96, 96), uploads);
    assert.deepEqual([canvas.width, canvas.height], [96, 48]);
    const small = await drawScene(fittedScene('halves', 1000, 1000), uploads);
    assert.deepEqual([small.width, small.height], [320, 160]);
    const dot = halves(10, 10);
    dot.getContext('2d').clearRect(0, 0, 5, 10);
    const clear = await drawScene(fittedScene('dot', 96, 96), new Map([['dot', dot.toBuffer('image/png')]]));
    assert.equal(clear.getContext('2d').getImageData(2, 5, 1, 1).data[3], 0);
  });

  it('names the picture that cannot be drawn', async () => {
    const { scene } = menuScene({ items: [{ image: 'x' }, { image: 'y' }] }, ['halves', 'broken']);
    const broken = new Map([...uploads, ['broken', Buffer.from('no picture')] as const]);
    await assert.rejects(drawScene(scene, broken), (error) => error instanceof BadPicture && error.upload === 'broken');
    await assert.rejects(drawScene(scene, uploads), (error) => error instanceof BadPicture && error.upload === 'broken');
  });

  it('draws one grapheme cluster as one emoji: families, flags, skin tones', async () => {
    for (const text of ['👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣']) {
      const { left, right } = await ink({ text, sizeMax: 40 });
      assert.ok(right - left < 60, `${text} is ${right - left} px wide`);
    }
  });

  it('draws an emoji whose font glyph Skia would split as one picture', async () => {
    for (const text of ['❤️‍🔥', '❤️‍🩹', '🏳️‍🌈', '⛓️‍💥', '☝🏽', '✌🏽']) {
      const { left, right, pixels } = await ink({ text, sizeMax: 40 });
      assert.ok(right - left < 60 && pixels > 200, `${text} is ${right - left} px wide`);
    }
  });

  it('draws a character that no font has as its code point in a box', async () => {
    const one = await ink({ text: 'Ꭳ' });
    const other = await ink({ text: 'Ꮟ' });
    assert.ok(one.pixels > 200 && other.pixels > 200 && one.pixels !== other.pixels);
    assert.ok(one.left >= 20 && one.right <= 300);
  });

  it('draws Han characters in the shapes of the language', async () => {
    const shapes = await Promise.all(
      ['zh', 'zh-Hant', 'ja', undefined].map((lang) => ink({ text: '直骨', ...(lang === undefined ? {} : { lang }) })),
    );
    assert.equal(new Set(shapes.slice(0, 3).map((shape) => JSON.stringify(shape))).size, 3);
    assert.deepEqual(shapes[3], shapes[0]);
  });

  it('draws a text in an unreadable colour on a plate on which it is readable', async () => {
    const canvas = await drawScene(cardScene({ text: 'Red', color: 'red', background: 'red' }), new Map());
    const red = hexAt(canvas, 0, 0);
    assert.ok(count(canvas, { x: 0, y: 0, w: 320, h: 240 }, red) < 320 * 240 - 5000);
    const plated = cardScene({ text: 'Red', color: 'red', background: 'red' }).boxes.find((box) => box.kind === 'text');
    assert.ok(plated?.kind === 'text' && plated.plate !== undefined && plated.color === red);
    assert.ok(count(canvas, { x: 0, y: 0, w: 320, h: 240 }, plated.plate) > 3000);
  });

  it('does not let a text reverse its letters', async () => {
    const plain = await ink({ text: 'kcatta', align: 'left', sizeMax: 30 });
    assert.deepEqual(await ink({ text: tidyText('\u202ekcatta א').slice(0, 6), align: 'left', sizeMax: 30 }), plain);
    assert.notDeepEqual(await ink({ text: 'attack', align: 'left', sizeMax: 30 }), plain);
  });

  it('aligns each line of a text to the side that was asked for, whatever its direction', async () => {
    for (const text of ['Hi\nHello', 'שלום\nעולם']) {
      const [left, center, right] = await Promise.all((['left', 'center', 'right'] as const).map((align) => ink({ text, align, sizeMax: 20 })));
      assert.ok(left && center && right && left.left < 24 && right.right > 295, text);
      assert.ok(Math.abs(center.left - 20 - (300 - center.right)) <= 3, text);
    }
  });

  it('draws all letters of a text in the monospace font with one width, and keeps columns', async () => {
    const widths = await Promise.all(
      ['iiiiiiii', 'MMMMMMMM', '│├┤└  ░▒', 'ДДДДДДДД'].map((text) => ink({ text: `|${text}|`, mono: true, sizeMax: 20, align: 'left' })),
    );
    assert.ok(
      widths.every(({ right }) => Math.abs(right - (widths[0]?.right ?? 0)) <= 1),
      JSON.stringify(widths),
    );
    const plain = await Promise.all(['iiii', 'MMMM'].map((text) => ink({ text, sizeMax: 20, align: 'left' })));
    assert.ok((plain[0]?.right ?? 0) + 20 < (plain[1]?.right ?? 0));
  });

  it('starts a right-to-left text at the right', async () => {
    const hebrew = await ink({ text: 'שלום', align: 'start', sizeMax: 20 });
    const english = await ink({ text: 'Hello', align: 'start', sizeMax: 20 });
    assert.ok(hebrew.left > 200 && hebrew.right > 290);
    assert.ok(english.left < 30 && english.right < 100);
  });

  it('draws the question mark of a Hebrew question at its left', async () => {
    const without = await ink({ text: 'שלום', align: 'start', sizeMax: 20 });
    const marked = await ink({ text: 'שלום?', align: 'start', sizeMax: 20 });
    assert.ok(marked.left < without.left && Math.abs(marked.right - without.right) <= 1);
  });

  it('draws no text more than 3 px outside its box, for any text', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
      fc.constantFrom('Z' + '\u0301\u0323\u0309\u0308'.repeat(30), 'Ǻ\u0301ygj', 'x'.repeat(2000), 'ﷺ', '𒐫𒐫𒐫', 'ཧཱུྃ'),
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 30, max: 200 }), fc.integer({ min: 16, max: 100 }), async (text, w, h) => {
        const { left, right, top, bottom } = await ink({ text, w, h });
        if (right >= 0)
          assert.ok(left >= 17 && right <= 20 + w + 3 && top >= 17 && bottom <= 20 + h + 3, JSON.stringify({ left, right, top, bottom, w, h }));
      }),
      { numRuns: 150 },
    );
  });

  it('draws every scene of any text without failing', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: 'grapheme', maxLength: 200 }));
    await fc.assert(
      fc.asyncProperty(text, text, async (a, b) => {
        const scenes: Scene[] = [
          cardScene({ text: a, title: b, note: a, progress: 0.3 }),
          questionScene({ question: a, answers: [a, b, ''] }).scene,
          menuScene({ title: b, items: [a, b] }, [null, null]).scene,
          bubbleScene(a),
        ];
        for (const scene of scenes) {
          const canvas = await drawScene(scene, new Map());
          assert.deepEqual([canvas.width, canvas.height], [scene.w, scene.h]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('draws the same pixels for the same scene, whatever was drawn before', async () => {
    const scene = cardScene({ title: 'Same', text: 'Same text 日本', note: 'again' });
    const first = (await drawScene(scene, new Map())).data();
    await drawScene(cardScene({ text: '中文 한국어 ไทย 😀 →' }), new Map());
    assert.ok(first.equals((await drawScene(scene, new Map())).data()));
  });
});

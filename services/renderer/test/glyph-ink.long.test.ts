import './no-host-fonts.js';
import assert from 'node:assert/strict';
import { hasInk } from '@perch/schema';
import { createCanvas } from 'canvas';
import { invisibleIn } from '@perch/screen';
import { drawRun, partsOf } from '../src/text/draw-runs.js';
import { register, type Face } from '../src/text/faces.js';
import { glyphRuns, hanOrder } from '../src/text/glyph-runs.js';
import { loadSprites } from '../src/text/sprites.js';

const canvas = createCanvas(150, 60);
const context = canvas.getContext('2d');

/** Returns the pixels of a text, or null if no font has a character of it. */
function pictureOf(text: string): string | null {
  let isMissing = false;
  const parts = partsOf([{ text, direction: 'ltr' }], 400, { han: hanOrder(text) }, () => (isMissing = true));
  if (isMissing) return null;
  context.fillStyle = '#000000';
  context.fillRect(0, 0, canvas.width, canvas.height);
  let x = 5;
  for (const { run, direction, ems } of parts) {
    drawRun(context, { color: '#ffffff', weight: 400 }, run, { x, baseline: 42, size: 30, direction });
    x += ems * 30;
  }
  return Buffer.from(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer).toString('latin1');
}

describe('the ink of glyphs', () => {
  it('the glyph of every shipped character that hasInk accepts alone is not blank', () => {
    const texts = new Map<Face, Map<string, number>>();
    for (let code = 0x20; code < 0x20000; code++) {
      // One in 40 characters of Han and hangul.
      if (code >= 0x3400 && code <= 0xd7a3 && code % 40 !== 0) continue;
      const character = String.fromCodePoint(code);
      const run = hasInk(character) ? glyphRuns(character, { han: hanOrder(character) })[0] : undefined;
      if (run?.kind !== 'glyphs') continue;
      texts.set(run.face, (texts.get(run.face) ?? new Map<string, number>()).set(run.text, code));
    }
    const context = createCanvas(100, 100).getContext('2d');
    const blank: string[] = [];
    for (const [face, codes] of texts) {
      register(face);
      context.font = `400 40px "${face.family}"`;
      for (const [text, code] of codes) {
        const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right } = context.measureText(text);
        if (left + right <= 0) blank.push(`U+${code.toString(16)}`);
      }
    }
    assert.deepEqual(blank, []);
  });

  it('every character that leaves the picture of two letters as it is counts as invisible between them', () => {
    const plain = pictureOf('ab');
    const unseen: string[] = [];
    for (let code = 0x21; code < 0xe1000; code++) {
      // Han and hangul, the surrogates, and planes of ideographs: each has a shape.
      if ((code >= 0x3400 && code <= 0xdfff) || (code > 0x1fbff && code < 0xe0000)) continue;
      const character = String.fromCodePoint(code);
      if (/\s/.test(character) || invisibleIn(`a${character}b`) !== undefined) continue;
      if (pictureOf(`a${character}b`) === plain) unseen.push(`U+${code.toString(16)}`);
    }
    assert.deepEqual(unseen, []);
    assert.equal(pictureOf('a\u200bb'), plain);
  });

  it('an emoji of which invisible characters are accepted looks otherwise without each of them', async () => {
    const qualified = new RegExp('^\\p{RGI_Emoji}$', 'v');
    const isQualified = (text: string): boolean => qualified.test(text);
    const characters = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter((each) => /\p{Emoji}/u.test(each));
    const single = characters.flatMap((each) => [each, `${each}\ufe0f`]).filter(isQualified);
    const all = [
      ...single.filter((each) => each.endsWith('\ufe0f')),
      ...[...'0123456789#*'].map((key) => `${key}\ufe0f\u20e3`),
      ...single.flatMap((first) => single.map((second) => `${first}\u200d${second}`)).filter(isQualified),
    ];
    assert.ok(all.length > 350);
    const alike: string[] = [];
    for (const emoji of all) {
      await loadSprites(emoji);
      for (const { index } of emoji.matchAll(/[\ufe0f\u200d]/g)) {
        const without = emoji.slice(0, index) + emoji.slice(index + 1);
        if (invisibleIn(without) === undefined && pictureOf(without) === pictureOf(emoji)) alike.push(emoji);
      }
    }
    assert.deepEqual(alike, []);
  });
});

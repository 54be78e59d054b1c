import './no-host-fonts.js';
import assert from 'node:assert/strict';
import { hasInk } from '@perch/schema';
import { createCanvas } from 'canvas';
import { register, type Face } from '../src/text/faces.js';
import { glyphRuns, hanOrder } from '../src/text/glyph-runs.js';

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
});

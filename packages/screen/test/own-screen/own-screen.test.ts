import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ownScreenScene, tidyText, type OwnScreen } from '../../src/index.js';
import { bubbleBaseline, bubbleFrame, bubbleTop, emotions, faceColors, faceShapes } from '../../src/own-screen/index.js';

const face: OwnScreen = { view: 'face', emotion: 'neutral', bubble: null, readings: {} };

describe('own screen of a robot', () => {
  it('has a face of its own for each emotion, and draws neutral for an unknown one', () => {
    const drawn = emotions.map((emotion) => JSON.stringify(ownScreenScene({ ...face, emotion })));
    assert.equal(new Set(drawn).size, 6);
    assert.equal(JSON.stringify(ownScreenScene({ ...face, emotion: 'proud' })), drawn[emotions.indexOf('neutral')]);
  });

  it('draws the shapes of the face in order, larger without a bubble than above one', () => {
    const paths = (bubble: string | null) => ownScreenScene({ ...face, emotion: 'sad', bubble }).boxes.filter((box) => box.kind === 'path');
    const alone = paths(null);
    assert.deepEqual(
      alone.map(({ path, color }) => [path, color]),
      faceShapes('sad').map(({ path, color }) => [path, faceColors[color]]),
    );
    const speaking = paths('Hello');
    assert.equal(speaking.length, alone.length + 1, 'the pointer of the bubble');
    assert.ok(speaking[0]!.w < alone[0]!.w);
  });

  it('puts any text that say accepts into a bubble on the screen, with all its lines inside', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }), (text) => {
        const frame = bubbleFrame(text);
        const { rect, lines, size } = frame;
        assert.ok(rect.x >= 0 && rect.x + rect.w <= 320 && rect.y >= 60 && rect.y + rect.h <= 240, JSON.stringify(rect));
        assert.ok(lines.length <= 6 && size >= 18);
        if (lines.length > 0) assert.ok(bubbleBaseline(frame, lines.length - 1) < rect.h);
        const drawn = bubbleFrame(tidyText(text)).rect;
        for (const box of ownScreenScene({ ...face, bubble: text }).boxes)
          if (box.kind === 'text') assert.ok(box.x >= drawn.x && box.y >= drawn.y && box.y + box.h <= drawn.y + drawn.h);
      }),
    );
  });

  it('keeps the face whole above a bubble of any height: no brow above the screen, and no mouth below the tip of the bubble', () => {
    for (const text of [
      'Hi',
      'two lines of a bubble, more or less',
      'W'.repeat(80),
      '早'.repeat(45),
      '早'.repeat(60),
      '早'.repeat(80),
      'a\nb\nc\nd\ne\nf',
    ]) {
      for (const emotion of emotions) {
        const shapes = ownScreenScene({ ...face, emotion, bubble: text })
          .boxes.filter((box) => box.kind === 'path')
          .slice(0, -1);
        const ys = shapes.flatMap(({ path, y, h, units, line = 0 }) => {
          const scale = h / units.h;
          const at = [...path.matchAll(/[MLQ ](-?[\d.]+) (-?[\d.]+)/g)].map((numbers) => y + Number(numbers[2]) * scale);
          // Ellipses are eyes, cheeks and round mouths, which lie between the others.
          return path.includes('a') ? [] : [Math.min(...at), Math.max(...at) + (line / 2) * scale];
        });
        // Control points of brows lie above them.
        assert.ok(ys.length > 0 && Math.min(...ys) >= -3, `${emotion} above ${text}: ${Math.min(...ys)}`);
        assert.ok(Math.max(...ys) <= bubbleTop(text), `${emotion} above ${text}: ${Math.max(...ys)}, bubble at ${bubbleTop(text)}`);
        assert.ok(shapes[0]!.w >= 320 * 0.4, `${emotion} above ${text} is at least 0.4 of its size`);
      }
    }
  });

  it('begins a line of a bubble at every line separator', () => {
    for (const separator of ['\n', '\r\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f'])
      assert.deepEqual(bubbleFrame(`one${separator}two`).lines, ['one', 'two'], JSON.stringify(separator));
  });

  it('draws no bubble for a text without ink, and none over readings', () => {
    const kinds = (own: Partial<OwnScreen>) => ownScreenScene({ ...face, ...own }).boxes.map(({ kind }) => kind);
    assert.ok(!kinds({ bubble: '\u200b ' }).includes('fill'));
    const readings = ownScreenScene({
      ...face,
      view: 'readings',
      bubble: 'Hello',
      readings: { battery_pct: 81.26, charging: true, light_lux: null },
    });
    const texts = readings.boxes.flatMap((box) => (box.kind === 'text' ? [box.text] : []));
    assert.deepEqual(texts, ['Battery', '81.3 % +', 'Light', '–', 'Wi-Fi', '–', 'Head', '–', 'Chip', '–', 'Memory', '–']);
  });
});

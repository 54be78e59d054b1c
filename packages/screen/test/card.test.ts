import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cardScene, contrast, theme, type CardArgs, type TextBox } from '../src/index.js';
import { assertOnScreen } from './layouts.js';
import { anyText } from './texts.js';

const anyColor = fc.oneof(
  fc.constantFrom('red', 'yellow', 'white', '#808080', '#000000'),
  fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`),
);
const anyCard = fc.record(
  { text: anyText, title: anyText, note: anyText, background: anyColor, color: anyColor, progress: fc.double({ min: 0, max: 1, noNaN: true }) },
  { requiredKeys: [] },
);

function texts(args: CardArgs): TextBox[] {
  return cardScene(args).boxes.filter((box) => box.kind === 'text');
}

describe('cardScene', () => {
  it('keeps title, text, bar and note on the screen without overlap, for any content', () => {
    fc.assert(
      fc.property(anyCard, (args) => {
        const scene = cardScene(args);
        assertOnScreen(scene);
        const rows = scene.boxes.filter((box) => box.kind === 'text' || box.w === 284).toSorted((a, b) => a.y - b.y);
        rows.forEach((row, i) => {
          const next = rows[i + 1];
          if (next) assert.ok(row.y + row.h <= next.y || row === next || (row.y === next.y && row.kind === 'fill'), JSON.stringify(rows));
        });
      }),
      { numRuns: 500 },
    );
  });

  it('uses readable default colours on any background', () => {
    fc.assert(
      fc.property(anyColor, (background) => {
        const scene = cardScene({ title: 'Title', text: 'Text', note: 'Note', background });
        for (const box of scene.boxes)
          if (box.kind === 'text') assert.ok(contrast(box.color, scene.background) >= 4.5, `${box.text} on ${background}`);
      }),
      { numRuns: 2000 },
    );
  });

  it('shows a blue title and white text on dark blue by default', () => {
    const [title, text] = texts({ title: 'Title', text: 'Text' });
    assert.equal(title?.color, theme.blue);
    assert.equal(text?.color, '#ffffff');
    assert.equal(cardScene({ text: 'Text' }).background, theme.background);
  });

  it('uses `color` for text, title and bar, but not for the note', () => {
    const { boxes } = cardScene({ title: 'Title', text: 'Text', note: 'Note', progress: 0.5, color: '#FF8800' });
    const colored = boxes.filter((box) => box.kind !== 'image' && box.color === '#ff8800');
    assert.equal(colored.length, 3);
    assert.ok(boxes.some((box) => box.kind === 'text' && box.text === 'Note' && box.color !== '#ff8800'));
  });

  it('fills the bar in proportion to the progress: empty at 0, full at 1', () => {
    const bar = (progress: number): number[] => cardScene({ progress }).boxes.map((box) => box.w);
    const [track = 0] = bar(0);
    assert.equal(bar(0).length, 1);
    assert.deepEqual(bar(1), [track, track]);
    assert.deepEqual(bar(0.5), [track, track / 2]);
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1, noNaN: true }), (progress) => (bar(progress)[1] ?? 0) > 0 && (bar(progress)[1] ?? 0) <= track),
    );
  });

  it('gives the text the space that the other parts leave', () => {
    const height = (args: CardArgs): number => texts(args).find((box) => box.text === 'Text')?.h ?? 0;
    assert.ok(height({ text: 'Text' }) > height({ text: 'Text', title: 'Title' }));
    assert.ok(height({ text: 'Text', title: 'Title' }) > height({ text: 'Text', title: 'Title', note: 'Note' }));
    assert.ok(height({ text: 'Text', title: 'x'.repeat(2000), note: 'x'.repeat(2000), progress: 1 }) >= 80);
  });

  it('shows a plain colour when only the background is given', () => {
    assert.deepEqual(cardScene({ background: 'white' }), { w: 320, h: 240, background: '#ffffff', boxes: [] });
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cardScene, contrast, theme, type CardArgs, type TextBox } from '../src/index.js';
import { assertNoOverlap, assertOnScreen } from './layouts.js';
import { anyText } from './texts.js';

const anyColor = fc.oneof(
  fc.constantFrom('red', 'yellow', 'white', '#808080', '#000000'),
  fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`),
);
const anyCard = fc.record(
  {
    text: anyText,
    title: anyText,
    note: anyText,
    background: anyColor,
    color: anyColor,
    icon: fc.constant('bell'),
    qr: fc.string({ minLength: 1, maxLength: 26 }),
    sparkline: fc
      .array(fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })), { minLength: 2, maxLength: 300 })
      .filter((all) => all.some((each) => each !== null)),
    format: fc.constantFrom('plain', 'markdown'),
    align: fc.constantFrom('left', 'center', 'right'),
    mono: fc.boolean(),
    progress: fc.double({ min: 0, max: 1, noNaN: true }),
  },
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
        assertNoOverlap(scene);
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
    const colored = boxes.filter((box) => 'color' in box && box.color === '#ff8800');
    assert.equal(colored.length, 3);
    assert.ok(boxes.some((box) => box.kind === 'text' && box.text === 'Note' && box.color !== '#ff8800'));
  });

  it('puts text in an unreadable colour on a plate on which it is readable, and keeps its colour', () => {
    fc.assert(
      fc.property(anyColor, anyColor, (color, background) => {
        const given = cardScene({ title: 'Title', text: 'Text', color, background });
        for (const box of given.boxes) {
          if (box.kind !== 'text') continue;
          assert.ok(contrast(box.color, box.plate ?? given.background) >= 4.5, `${color} on ${background}`);
          assert.equal(box.color, cardScene({ text: 'Text', background: color }).background);
          assert.equal(box.plate === undefined, contrast(box.color, given.background) >= 4.5);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('shows a bar in any colour on any background', () => {
    fc.assert(
      fc.property(anyColor, anyColor, (color, background) => {
        const [track, bar] = cardScene({ progress: 0.5, color, background }).boxes;
        assert.ok(track?.kind === 'fill' && bar?.kind === 'fill' && contrast(track.color, bar.color) >= 3);
      }),
    );
  });

  it('draws text at 20 px or more, and titles and notes at 16 px or more', () => {
    const [title, note, text] = texts({ title: 'Title', text: 'Text', note: 'Note' });
    assert.deepEqual([title?.sizeMin, note?.sizeMin, text?.sizeMin], [16, 16, 20]);
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

  it('aligns title, text and note, and uses the monospace font for the text alone', () => {
    const all = texts({ title: 'Title', text: 'a  b', note: 'Note', align: 'left', mono: true });
    assert.deepEqual(
      all.map(({ text, align, mono }) => [text, align, mono]),
      [
        ['Title', 'left', undefined],
        ['Note', 'left', undefined],
        ['a  b', 'left', true],
      ],
    );
  });

  it('centres texts without align, and lets text in the monospace font start where its lines start', () => {
    const all = texts({ title: 'Title', text: 'a  b', mono: true });
    assert.deepEqual(
      all.map(({ align }) => align),
      ['center', 'start'],
    );
  });

  it('shows a plain colour when only the background is given', () => {
    assert.deepEqual(cardScene({ background: 'white' }), { w: 320, h: 240, background: '#ffffff', boxes: [] });
  });
});

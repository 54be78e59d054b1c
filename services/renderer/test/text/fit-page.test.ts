import assert from 'node:assert/strict';
import { graphemes, tidyText, type TextBox } from '@perch/screen';
import fc from 'fast-check';
import { fitPage, fitText, onePage, pageMarkHeight } from '../../src/text/fit-text.js';

const measure = (text: string): number => graphemes(text).length * 0.6;

function box(text: string): TextBox {
  return {
    kind: 'text',
    x: 14,
    y: 12,
    w: 292,
    h: 216,
    text,
    color: '#ffffff',
    sizeMax: 104,
    sizeMin: 20,
    linesMax: 12,
    align: 'center',
    valign: 'middle',
    weight: 700,
    page: 0,
  };
}

/** Without spaces, which line ends lose, and hyphens, which they may get. */
const ink = (text: string): string[] => graphemes(text.replace(/[\s-]/g, ''));

const texts = fc
  .array(fc.constantFrom('a', 'word', 'Donaudampfschifffahrt', '日本語。', '👩‍👩‍👧‍👦', 'é', '\n', '\n\n', 'x'.repeat(60)), { minLength: 1, maxLength: 200 })
  .map((all) => tidyText(all.join(' ')) || 'a');

describe('fitPage', () => {
  it('shows each grapheme once and in order on its pages, inside the box and above the mark, at 20 px or more', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { count, fitted } = fitPage(box(text), 0, measure);
        const all = Array.from({ length: count }, (_, page) => fitPage(box(text), page, measure));
        const isCut = all.at(-1)!.fitted.cut;
        const shown = all.flatMap((page) => page.fitted.lines.flatMap((line) => ink(line.text)));
        if (isCut) {
          assert.equal(count, 10);
          assert.equal(shown.pop(), '…');
          assert.deepEqual(shown, ink(text).slice(0, shown.length));
        } else assert.deepEqual(shown, ink(text));
        const bottom = 12 + 216 - (count > 1 ? pageMarkHeight : 0);
        for (const page of all) {
          assert.equal(page.count, count);
          assert.equal(page.fitted.size, fitted.size);
          assert.ok(page.fitted.size >= 20);
          for (const { text: line, baseline } of page.fitted.lines) {
            assert.ok(measure(line) * page.fitted.size * page.fitted.squeeze <= 292 + 1e-6, line);
            assert.ok(baseline <= bottom);
          }
          if (count > 1) assert.ok(page.fitted.lines.some((line) => line.text !== ''));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('fits a text that needs one page as it fits it without pages', () => {
    assert.deepEqual(fitPage(box('Short text'), 0, measure), onePage(fitText(box('Short text'), measure)));
  });

  it('cuts the tenth page of a text that would need more', () => {
    const { fitted, count } = fitPage(box('wordy '.repeat(1000).trim()), 9, measure);
    assert.equal(count, 10);
    assert.equal(fitted.cut, true);
    assert.match(fitted.lines.at(-1)!.text, /…$/);
  });
});

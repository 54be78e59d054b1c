import assert from 'node:assert/strict';
import { graphemes, type TextBox } from '@perch/screen';
import fc from 'fast-check';
import { fitText } from '../../src/text/fit-text.js';

const measure = (text: string): number => graphemes(text).length * 0.6;

function box(text: string, change: Partial<TextBox> = {}): TextBox {
  return {
    kind: 'text',
    x: 10,
    y: 20,
    w: 200,
    h: 100,
    text,
    color: '#ffffff',
    sizeMax: 60,
    sizeMin: 12,
    linesMax: 10,
    align: 'center',
    valign: 'middle',
    weight: 700,
    ...change,
  };
}

const words = fc
  .array(fc.constantFrom('a', 'word', 'longer-words', 'Donaudampfschifffahrt', '日本語。', '👩‍👩‍👧‍👦', 'สวัสดี', 'é', '\n', 'x'.repeat(60)), {
    minLength: 1,
    maxLength: 60,
  })
  .map((all) => all.join(' ').trim() || 'a');

describe('fitText', () => {
  it('keeps every line inside the box, for any text and box', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 30, max: 300 }), fc.integer({ min: 20, max: 200 }), (text, w, h) => {
        const { size, squeeze, lines } = fitText(box(text, { w, h }), measure);
        assert.ok(squeeze >= 0.82 && squeeze <= 1);
        assert.ok(size >= 12 && size <= 60);
        assert.ok(lines.length >= 1);
        for (const line of lines) assert.ok(measure(line.text) * size * squeeze <= w, line.text);
        for (const line of lines) assert.ok(line.baseline >= 20 && line.baseline <= 20 + h);
      }),
      { numRuns: 1000 },
    );
  });

  it('reports whether text was omitted', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 30, max: 300 }), fc.integer({ min: 20, max: 200 }), (text, w, h) => {
        const { lines, cut } = fitText(box(text, { w, h }), measure);
        const bare = (s: string): string => s.replace(/[\s-]/g, '');
        const shown = bare(lines.map((line) => line.text).join(''));
        if (!cut) assert.equal(shown, bare(text));
        else assert.ok(shown.endsWith('…') && bare(text).startsWith(shown.slice(0, -1)));
      }),
      { numRuns: 1000 },
    );
  });

  it('breaks and cuts between grapheme clusters only', () => {
    const family = '👩‍👩‍👧‍👦';
    const { lines, cut } = fitText(box(family.repeat(500)), measure);
    assert.ok(cut);
    const clusters = lines.flatMap((line) => graphemes(line.text));
    assert.equal(clusters.pop(), '…');
    assert.ok(clusters.length > 20 && clusters.every((cluster) => cluster === family));
  });

  it('uses the largest size at which the text fits', () => {
    assert.equal(fitText(box('Hi'), measure).size, 60);
    const { size, lines } = fitText(box('x'.repeat(10), { linesMax: 1 }), measure);
    assert.equal(lines.length, 1);
    assert.ok(size * 6 <= 200 && (size + 1) * 6 * 1.015 > 200);
  });

  it('breaks no word at a size at which whole words are readable', () => {
    const { lines } = fitText(box('An understandable sentence'), measure);
    assert.deepEqual(
      lines.flatMap((line) => line.text.split(' ')),
      ['An', 'understandable', 'sentence'],
    );
  });

  it('draws a word narrower before it breaks it, and breaks it with a hyphen', () => {
    const narrow = fitText(box('Bathroom', { w: 50, sizeMin: 12 }), measure);
    assert.deepEqual([narrow.lines.map((line) => line.text), narrow.size], [['Bathroom'], 12]);
    assert.ok(narrow.squeeze < 0.9);
    const { lines, squeeze } = fitText(box('Bathroom', { w: 40 }), measure);
    assert.equal(squeeze, 1);
    assert.match(lines.map((line) => line.text).join('|'), /^\w{2,}-\|\w{2,}$/);
  });

  it('leaves no short word alone on the last line where another break avoids it', () => {
    const { lines } = fitText(box('A quick question for all of you', { sizeMax: 12, w: 180, h: 32 }), measure);
    assert.deepEqual(
      lines.map((line) => line.text),
      ['A quick question', 'for all of you'],
    );
  });

  it('makes lines of a paragraph equally long', () => {
    const { lines } = fitText(box('aaaa bbbb cccc dddd eeee', { sizeMax: 14, w: 180 }), measure);
    assert.deepEqual(
      lines.map((line) => line.text),
      ['aaaa bbbb cccc', 'dddd eeee'],
    );
  });

  it('keeps line breaks of the text', () => {
    const { lines } = fitText(box('one\ntwo\n\nfour'), measure);
    assert.deepEqual(
      lines.map((line) => line.text),
      ['one', 'two', '', 'four'],
    );
  });

  it('places the block at the top, in the middle or at the bottom', () => {
    const baseline = (valign: TextBox['valign']): number => fitText(box('Hi', { valign, sizeMax: 20 }), measure).lines[0]?.baseline ?? NaN;
    assert.ok(baseline('top') < baseline('middle') && baseline('middle') < baseline('bottom'));
  });
});

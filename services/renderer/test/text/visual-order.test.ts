import assert from 'node:assert/strict';
import { directionOf, visualLines } from '../../src/text/visual-order.js';

const order = (paragraph: string, ...lines: string[]): string =>
  visualLines(paragraph, lines.length === 0 ? [paragraph] : lines)
    .map((line) => line.map((stretch) => `${stretch.direction}:${stretch.text}`).join(' / '))
    .join(' | ');

describe('visualLines', () => {
  it('takes the direction of a paragraph from its first letter', () => {
    assert.equal(directionOf('123 שלום abc'), 'rtl');
    assert.equal(directionOf('abc שלום'), 'ltr');
    assert.equal(directionOf('123'), 'ltr');
    assert.equal(directionOf('\u2067שלום\u2069 abc'), 'ltr');
  });

  it('orders words and numbers of the other direction', () => {
    assert.equal(order('abc שלום 12 def'), 'ltr:abc  / ltr:12 / rtl:שלום  / ltr: def');
    assert.equal(order('שלום abc (x) 12'), 'ltr:abc (x) 12 / rtl:שלום ');
    assert.equal(order('שלום?'), 'rtl:שלום?');
  });

  it('keeps an isolated text together and does not draw the isolating characters', () => {
    assert.equal(order('a \u2067שלום\u2069 3'), 'ltr:a  / rtl:שלום / ltr: 3');
  });

  it('orders each line as part of its paragraph, whatever begins it', () => {
    assert.equal(
      order('שלום Symphony No 9 in D (minor) x', 'שלום Symphony No', '9 in D', '(minor) x'),
      'ltr:Symphony No / rtl:שלום  | ltr:9 in D | ltr:(minor) x',
    );
    assert.equal(
      order('a \u2067שלום 1 (b) 2\u2069 3', 'a \u2067שלום 1', '(b) 2\u2069 3'),
      'ltr:a  / ltr:1 / rtl:שלום  | ltr:2 / rtl:)  / ltr:b / rtl:( / ltr: 3',
    );
  });

  it('puts an added hyphen at the end of its word, and an ellipsis at the end of the line', () => {
    assert.equal(order('שלום understand\u00adable', 'שלום understand-', 'able'), 'ltr:understand- / rtl:שלום  | ltr:able');
    assert.equal(order('שלום abc def ghi', 'שלום abc', 'de…'), 'ltr:abc / rtl:שלום  | rtl:… / ltr:de');
  });
});

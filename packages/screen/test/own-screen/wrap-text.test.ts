import assert from 'node:assert/strict';
import { wrapText } from '../../src/own-screen/wrap-text.js';

describe('text of a bubble', () => {
  it('wraps text between words, and inside a word that is too long', () => {
    assert.deepEqual(wrapText('good morning to you', 6), ['good', 'morning to', 'you']);
    assert.ok(wrapText('x'.repeat(40), 6).length > 2);
    assert.equal(wrapText('x'.repeat(40), 6).join(''), 'x'.repeat(40));
  });

  it('keeps the line breaks of the text, without empty lines', () => {
    assert.deepEqual(wrapText('one\ntwo three\n\nfour', 6), ['one', 'two three', 'four']);
  });

  it('accounts for wide scripts, and never splits a grapheme', () => {
    assert.equal(wrapText('你好世界你好世界', 4.3).length, 2);
    assert.ok(wrapText('👩‍👩‍👧‍👦'.repeat(6), 3).every((line) => line.length % '👩‍👩‍👧‍👦'.length === 0));
  });
});

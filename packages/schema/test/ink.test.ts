import assert from 'node:assert/strict';
import { hasInk } from '../src/index.js';

describe('hasInk', () => {
  it('hasInk is false for texts of which a person sees nothing', () => {
    const blanks = ['', ' \n\t\u00a0\u3000', '\u200b\u200d\u2060\ufeff', '\u0000\u0007\u0085', '\u0301', '\u093e', '\u202e\u2066', '\u00ad'];
    for (const text of [...blanks, '\u2800', '\u3164\u115f\uffa0', '\ufe0f', '\u{e0001}\u{e0100}', '\u034f\u17b4', '\ufffc', '\uffff'])
      assert.equal(hasInk(text), false, JSON.stringify(text));
  });

  it('hasInk is false for escape sequences of terminals alone', () => {
    for (const text of ['\u001b[31m\u001b[0m', '\u009b1m \u001b]0;title\u0007']) assert.equal(hasInk(text), false, JSON.stringify(text));
    assert.equal(hasInk('\u001b[31mx'), true);
  });

  it('hasInk is true for letters, digits, signs, emoji, and characters that are drawn as their code points', () => {
    for (const text of ['a', '1', '.', '-', '日', 'ᄀ', '가', '😀', '🇩', '🏽', '☺', '\u200ba', 'a\u0301', '\ue000', '\u0378', '\ud800'])
      assert.equal(hasInk(text), true, JSON.stringify(text));
  });
});

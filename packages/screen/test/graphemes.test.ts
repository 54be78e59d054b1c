import assert from 'node:assert/strict';
import fc from 'fast-check';
import { graphemes, isEmoji, tidyText } from '../src/index.js';
import { anyText } from './texts.js';

describe('tidyText', () => {
  it('truncates a long text between grapheme clusters, with an ellipsis', () => {
    for (const cluster of ['👩‍👩‍👧‍👦', '🇩🇪', 'é', 'ก็', 'नि', 'a']) {
      const cut = tidyText(cluster.repeat(1500));
      assert.ok(cut.endsWith('…'));
      const kept = graphemes(cut).slice(0, -1);
      assert.equal(kept.length, 1000);
      assert.ok(
        kept.every((each) => each === cluster.normalize('NFC')),
        cluster,
      );
    }
  });

  it('does not truncate a text of up to 1,000 clusters', () => {
    assert.equal(tidyText('x'.repeat(1000)), 'x'.repeat(1000));
    assert.equal(tidyText('👩‍👩‍👧‍👦'.repeat(1000)), '👩‍👩‍👧‍👦'.repeat(1000));
  });

  it('removes control characters, lone surrogates and outer white space, and is idempotent', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tidy = tidyText(text);
        // oxlint-disable-next-line no-control-regex
        assert.doesNotMatch(tidy, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|\p{Surrogate}|^\s|\s$|\n{3}/u);
        assert.ok(graphemes(tidy).length <= 1001);
        assert.equal(tidyText(tidy), tidy);
      }),
      { numRuns: 1000 },
    );
  });

  it('normalises all kinds of line breaks', () => {
    assert.equal(tidyText('a\r\nb\rc\u2028d\n\n\n\ne'), 'a\nb\nc\nd\n\ne');
  });

  it('keeps at most four marks per letter', () => {
    assert.equal(tidyText('z' + '\u0301'.repeat(500)), 'ź' + '\u0301'.repeat(4));
  });

  it('returns an empty text when nothing is visible', () => {
    for (const text of ['', ' \n\t ', '\u200b\u200d', '\u0301', '\u0000', '\u2800', '\u3164']) assert.equal(tidyText(text), '', JSON.stringify(text));
  });
});

describe('graphemes', () => {
  it('returns at most max clusters, the first ones of the text', () => {
    fc.assert(
      fc.property(anyText, fc.nat(20), (text, max) => {
        assert.deepEqual(graphemes(text, max), graphemes(text).slice(0, max));
      }),
    );
    assert.equal(graphemes('x'.repeat(1_000_000), 3).length, 3);
  });
});

describe('isEmoji', () => {
  it('distinguishes emoji from letters, digits and symbols drawn as text', () => {
    for (const emoji of ['😀', '🇩🇪', '👩‍👩‍👧‍👦', '👍🏽', '1️⃣', '❤️', '✅', '🏴󠁧󠁢󠁥󠁮󠁧󠁿']) assert.ok(isEmoji(emoji), emoji);
    for (const text of ['a', '1', '→', '✓', '★', '日', '©', '☀', '']) assert.ok(!isEmoji(text), text);
  });
});

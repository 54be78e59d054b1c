import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasInk, withoutTerminalSequences } from '@perch/schema';
import { exactText, graphemes, invisibleIn, isEmoji, lossOf, tidyLines, tidyText } from '../src/index.js';
import { anyText } from './texts.js';

const blanks = ['', ' \n\t ', '\u200b\u200d', '\u0301', '\u0000', '\u2800', '\u3164', '\u115f', '\u202e', '\u0600'];

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

  it('in a text with letters from right to left, removes characters that reverse directions, and keeps those that isolate a text', () => {
    assert.equal(tidyText('\u202eאב\u202c'), 'אב');
    assert.equal(tidyText('a \u2067אב\u2069'), 'a \u2067אב\u2069');
  });

  it('removes whole escape sequences of terminals, and names the text as altered', () => {
    // From chalk/ansi-regex#56 (links that end with ST), oven-sh/bun#28872 (APC that ends with BEL), Yeachan-Heo/oh-my-codex#3668 (private modes) and ECMA-48.
    const sequences = [
      ...[
        '\u001b[31m',
        '\u001b[m',
        '\u001b[38;2;255;0;0m',
        '\u001b[4:3m',
        '\u001b[?25l',
        '\u001b[2J',
        '\u001b[1;1H',
        '\u001b[>4;2m',
        '\u001b[2 q',
        '\u001b[200~',
      ],
      ...[
        '\u009b31m',
        '\u009b?25h',
        '\u001b]0;title\u0007',
        '\u001b]8;;https://example.org/(a)?b=c#d\u001b\\',
        '\u001b]8;;\u009c',
        '\u009d0;Fenster ü\u009c',
      ],
      ...[
        '\u001bPq#0;2;0;0;0\u001b\\',
        '\u0090q\u009c',
        '\u001b_bk;t=1\u0007',
        '\u009fx\u0007',
        '\u001b^x\u009c',
        '\u0098x\u001b\\',
        '\u001bXx\u001b\\',
      ],
      ...['\u001b7', '\u001b8', '\u001bc', '\u001b=', '\u001b(B', '\u001b#8', '\u001b%G', '\u001b\u001b[1m', '\u001b[31', '\u001b['],
    ];
    for (const sequence of sequences) {
      const isCut = /\[\d*$/.test(sequence);
      const text = isCut ? `FAIL${sequence}` : `${sequence}FA${sequence}IL${sequence}`;
      assert.equal(tidyText(text), 'FAIL', JSON.stringify(sequence));
      assert.equal(exactText(text), 'FAIL', JSON.stringify(sequence));
      assert.deepEqual(lossOf(text), { cut: false, altered: true }, JSON.stringify(sequence));
      assert.equal(hasInk(sequence), false, JSON.stringify(sequence));
      assert.notEqual(invisibleIn(text), undefined, JSON.stringify(sequence));
    }
    assert.equal(tidyLines('\u001b[32m✓\u001b[0m\ta\n\u001b[1m  b\u001b[0m'), '✓   a\n  b');
  });

  it('keeps the line of a command string without an end, and text that only looks like a sequence', () => {
    assert.equal(tidyText('a\u001b]0;title\nb\u0007'), 'a]0;title\nb');
    assert.equal(tidyText('git\u001b push \u001bfile'), 'git push file');
    assert.equal(tidyText('a\u009d0;title\nb'), 'a0;title\nb');
    for (const text of ['[31mFAIL', '^[[31m', '\\e[0m', 'a[0]']) assert.deepEqual([tidyText(text), lossOf(text).altered], [text, false]);
  });

  it('removes sequences from any text of 16,000 characters in less than 50 ms', () => {
    for (const part of ['\u001b[', '\u001b]', '\u009d', '\u001b[1', '\u001b', '\u001b]a\u0007', '\u001bP\u009c'])
      for (const text of [part.repeat(16_000 / part.length), part + '1'.repeat(15_000), part + ' '.repeat(15_000)]) {
        const before = process.cpuUsage();
        withoutTerminalSequences(text);
        const { user, system } = process.cpuUsage(before);
        assert.ok((user + system) / 1000 < 50, `${(user + system) / 1000} ms for ${JSON.stringify(part)}`);
      }
  });

  it('normalises all kinds of line breaks', () => {
    assert.equal(tidyText('a\r\nb\rc\u2028d\n\n\n\ne'), 'a\nb\nc\nd\n\ne');
  });

  it('keeps at most four marks per letter', () => {
    assert.equal(tidyText('z' + '\u0301'.repeat(500)), 'ź' + '\u0301'.repeat(4));
  });

  it('returns an empty text exactly for texts without ink', () => {
    const anyTextWithBlanks = fc.oneof(
      anyText,
      fc.array(fc.constantFrom(...blanks, 'a', '\u1161', '\u0600'), { maxLength: 200 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(anyTextWithBlanks, (text) => {
        assert.equal(tidyText(text) !== '', hasInk(text));
        assert.equal(hasInk(tidyText(text)), hasInk(text));
      }),
      { numRuns: 2000 },
    );
    for (const text of [...blanks, blanks.join('')]) assert.equal(tidyText(text), '', JSON.stringify(text));
    assert.equal(tidyText(`${'\u115f'.repeat(70)}\u1161`), '□\u1161');
    assert.equal(tidyText(`${'\u0600'.repeat(70)}\u1161`), '\u1161');
  });
});

describe('tidyLines', () => {
  it('keeps spaces within and at the start of lines, and puts tabs on columns of 4', () => {
    assert.equal(tidyLines('a  b\n  c\td\n\te'), 'a  b\n  c d\n    e');
    assert.equal(tidyLines('\n\n  x  \n\n\n\ny \n'), '  x\n\ny');
    assert.equal(tidyLines('a\u00a0\tb \u00a0\nc'), 'a\u00a0  b\nc');
  });

  it('tidyText returns the same with and without tidyLines before it, and tidyLines changes its own result no further', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        assert.equal(tidyText(tidyLines(text)), tidyText(text));
        assert.equal(tidyLines(tidyLines(text)), tidyLines(text));
      }),
      { numRuns: 1000 },
    );
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
    for (const emoji of ['😀', '🇩🇪', '👩‍👩‍👧‍👦', '👍🏽', '1️⃣', '❤️', '✅', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '☝🏽', '✌🏽']) assert.ok(isEmoji(emoji), emoji);
    for (const text of ['a', '1', '→', '✓', '★', '日', '©', '☀', '']) assert.ok(!isEmoji(text), text);
  });
});

describe('lossOf', () => {
  it('tells truncation and dropped characters for exactly the texts that tidyText truncates and alters', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { cut, altered } = lossOf(text);
        const tidy = tidyText(text);
        // A text without ink is never drawn: it becomes '' whatever it loses.
        if (!hasInk(text)) return assert.equal(tidy, '');
        if (!cut && !altered) assert.equal(bare(tidy), bare(text));
        if (cut) assert.ok(tidy.endsWith('…'));
      }),
      { numRuns: 1000 },
    );
    // Without what is neither drawn nor missed: white space and marks of byte order.
    function bare(text: string): string {
      return text.normalize('NFC').replace(/[\s\u0085\ufeff]/g, '');
    }
  });

  it('does not count white space, composition and isolated directions as a loss', () => {
    for (const text of [' a\t b\r\n\n\n\nc ', 'e\u0301', '\ufeffa', '\u2067אב\u2069', 'soft\u00adhyphen', '\u200e-5', '1\u200f/1', '👩‍👩‍👧‍👦', '☺\ufe0f'])
      assert.deepEqual(lossOf(text), { cut: false, altered: false }, JSON.stringify(text));
  });

  it('tells what was removed', () => {
    assert.deepEqual(lossOf('x'.repeat(1001)), { cut: true, altered: false });
    for (const text of ['\u202ea', '\u202eא', 'a\u200b', 'word\u00ad', 'a\u0007', 'z' + '\u0301'.repeat(9), 'a\ud800', '\u1100'.repeat(70)])
      assert.deepEqual(lossOf(text), { cut: false, altered: true }, JSON.stringify(text));
  });
});

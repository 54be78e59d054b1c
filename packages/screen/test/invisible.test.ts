import assert from 'node:assert/strict';
import { invisibleIn, lossOf, tidyText } from '../src/index.js';

/** Characters that reports to peers and UTS #55 name: zero width, joiners, fillers, directions, operators, selectors, tags, blanks, controls. */
const invisible = [
  ...[0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180c, 0x180d, 0x180e, 0x180f, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f],
  ...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x2065, 0x2066, 0x2067, 0x2068, 0x2069, 0x206a, 0x206f],
  ...[0x2800, 0x3164, 0xfe00, 0xfe0e, 0xfe0f, 0xfeff, 0xffa0, 0xfff0, 0xfffc, 0x1bca0, 0x1d173, 0x1d17a, 0xe0001, 0xe0020, 0xe0061, 0xe007f, 0xe0100],
  ...[0xe01ef, 0x0000, 0x0007, 0x0008, 0x001b, 0x007f, 0x009f],
].map((code) => String.fromCodePoint(code));

const named = (text: string): string => [...text].map((character) => `U+${character.codePointAt(0)!.toString(16)}`).join(' ');

describe('invisible characters', () => {
  it('are found in a command, at its start and at its end, and not in the command alone', () => {
    assert.equal(invisibleIn('git push --force # 100 % sure?'), undefined);
    for (const character of invisible)
      for (const text of [`git${character} push`, `git ${character}push`, `${character}git push`, `git push${character}`])
        assert.equal(invisibleIn(text), character, named(character));
  });

  it('are all those that VS Code marks, but for white space and six that Perch has no font for and draws as code points', () => {
    // The list of hediet/vscode-unicode-data, out/invisibleCharacters.json.
    const ranges = [
      [11, 13, 127, 127, 173, 173, 847, 847, 1564, 1564, 4447, 4448, 6068, 6069, 6155, 6158, 7355, 7356, 8192, 8207, 8234, 8239, 8287, 8303],
      [10240, 10240, 12288, 12288, 12644, 12644, 65024, 65039, 65279, 65279, 65440, 65440, 65520, 65528, 65532, 65532, 78844, 78844],
      [119155, 119162, 917504, 917631, 917760, 917999, 65529, 65531],
    ].flat();
    const codes = ranges.flatMap((from, i) => (i % 2 === 1 ? [] : Array.from({ length: ranges[i + 1]! - from + 1 }, (_, each) => from + each)));
    const seen = codes.filter((code) => invisibleIn(`git${String.fromCodePoint(code)}push`) === undefined);
    assert.deepEqual(
      seen.filter((code) => !/\s/.test(String.fromCodePoint(code))),
      [7355, 7356, 78844, 65529, 65530, 65531],
    );
  });

  it('are no part of what looks like another text: they are drawn as a box or removed, and noted', () => {
    for (const character of invisible.filter((each) => each !== '\ufeff')) {
      const text = `git${character} push`;
      assert.equal(tidyText(text), /\p{Cc}/u.test(character) ? 'git push' : 'git□ push', named(character));
      assert.deepEqual(lossOf(text), { cut: false, altered: true }, named(character));
    }
  });

  it('are no letters and signs that draw something, also those of the category Cf', () => {
    for (const text of ['x\u06ddy', '\u0600١', '\u070fܐ', '\u180eᠠ'.slice(1), '\ue000', '\u0378', '\u00a0', 'a\u3000b', 'e\u0301', '\ufffd'])
      assert.equal(invisibleIn(text), undefined, named(text));
  });

  it('that follow each other are one box, so that many of them push no other text out of the picture', () => {
    assert.equal(tidyText(`Deploy?${'\u{e0061}\u200b'.repeat(300)} Now?`), 'Deploy?□ Now?');
  });

  it('are found in time that grows with the text, however many of them follow each other', () => {
    const lookAt = (count: number): number => {
      const texts = ['\u2800', '\u200f', '\u{e0061}', '\u200b', '\u200d', '\u00ad', '🏴\u{e0067}'].map((each) => `a${each.repeat(count)}b`);
      const began = process.cpuUsage();
      for (const text of texts) void [invisibleIn(text), lossOf(text)];
      return process.cpuUsage(began).user / 1000;
    };
    lookAt(4_000);
    const base = Math.min(lookAt(4_000), lookAt(4_000));
    assert.ok(lookAt(16_000) < 12 * base + 20);
  });

  it('have a meaning in emoji, and are found in those that look the same without them', () => {
    for (const emoji of ['👩‍👩‍👧‍👦', '👨🏽‍🚀', '🏳️‍🌈', '⛓️‍💥', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', '✈️', '👍🏽', '🇩🇪'])
      assert.deepEqual([invisibleIn(`${emoji} a${emoji}`), tidyText(emoji)], [undefined, emoji], named(emoji));
    for (const emoji of ['❤\u200d🔥', '#\u20e3', '☎\ufe0e', '😀\ufe0f', '👍\u200d👍', '🇩🇪\u200d🇫🇷'])
      assert.deepEqual([invisibleIn(emoji) === undefined, tidyText(emoji)], [false, emoji], named(emoji));
    for (const text of ['1\ufe0f', 'a\ufe0f', '❤️\ufe0f', '🏴\u{e0075}\u{e0073}\u{e0074}\u{e0078}\u{e007f}', '👩\u200da', 'a\u200d👩', '👩\u200d'])
      assert.notEqual(invisibleIn(text), undefined, named(text));
  });

  it('have a meaning in scripts that join letters or have no spaces, after a letter of these scripts', () => {
    const words = [
      'می\u200cخواهم',
      'क्\u200dष',
      'ശ്രീ ന്\u200d',
      'র\u200d্য',
      'ක්\u200dෂ',
      'ភាសា\u200bខ្មែរ',
      'ภาษา\u200bไทย',
      '葛\u{e0100}城',
      'ᠠ\u180bᠠ\u180eᠠ',
      '⣀\u2800⣀',
    ];
    for (const word of words) assert.deepEqual([invisibleIn(word), lossOf(word).altered], [undefined, false], named(word));
    for (const word of [
      'می \u200cgit',
      'می\u200c\u200c',
      'क\u200bx',
      'ក \u200bx',
      '葛\u{e0100}\u{e0101}',
      'a\u{e0100}',
      'ᠠ\u180ex',
      'e\u0301\u200b',
      'a\u0303\u200d',
    ])
      assert.notEqual(invisibleIn(word), undefined, named(word));
  });

  it('that Intl writes into numbers and dates are drawn without a box', () => {
    for (const locale of ['he', 'ar', 'ar-AE', 'ar-EG', 'fa', 'ur', 'ckb', 'ps', 'sd'])
      for (const text of [
        new Intl.NumberFormat(locale).format(-5.25),
        new Intl.NumberFormat(locale, { style: 'percent' }).format(-0.5),
        new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(-5),
        new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'short' }).format(0),
      ])
        assert.equal(lossOf(text).altered, false, `${locale} ${named(text)}`);
  });

  it('that order a text from right to left are drawn without a box, but found, as are soft hyphens', () => {
    for (const text of ['שלום\u200f!', '\u2067אב\u2069 git', '\u200e-5', 'Donau\u00addampfer']) {
      assert.notEqual(invisibleIn(text), undefined, named(text));
      assert.deepEqual([tidyText(text), lossOf(text).altered], [text, false], named(text));
    }
  });
});

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import emoji from 'emoji.json' with { type: 'json' };
import { runEms } from '../../src/text/draw-runs.js';
import { faceOf } from '../../src/text/faces.js';
import { glyphRuns, hanOrder } from '../../src/text/glyph-runs.js';
import { isSprite } from '../../src/text/sprites.js';
import { charactersOf, rangesOf } from '../programs/characters.js';
import { big5, gb2312, jis } from '../programs/charsets.js';
import { pathOf, shippedFiles } from '../programs/fonts.js';

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

function missingOf(text: string, lang?: string): string[] {
  const missing: string[] = [];
  glyphRuns(text, { han: hanOrder(text, lang) }, (character) => missing.push(character));
  return missing;
}

function notShipped(codes: readonly number[]): string[] {
  return codes
    .map((code) => String.fromCodePoint(code))
    .filter((character) => !/[\p{Cn}\p{Cc}\p{Cs}\p{Co}]/u.test(character) && missingOf(character).length > 0)
    .map((character) => `U+${character.codePointAt(0)?.toString(16)}`);
}

function lettersOf(script: string): number[] {
  const pattern = new RegExp(`\\p{Script=${script}}`, 'u');
  return range(0, 0xffff).filter((code) => (code < 0xd800 || code > 0xdfff) && pattern.test(String.fromCodePoint(code)));
}

describe('glyphRuns', () => {
  it('has every character of the scripts that people write to robots in', () => {
    const scripts = ['Armenian', 'Georgian', 'Hebrew', 'Devanagari', 'Bengali', 'Tamil', 'Malayalam', 'Gujarati', 'Gurmukhi', 'Oriya', 'Sinhala'];
    for (const script of [...scripts, 'Thai', 'Lao', 'Khmer', 'Ethiopic']) assert.deepEqual(notShipped(lettersOf(script)), [], script);
    assert.deepEqual(notShipped([...range(0x20, 0x3e1), ...range(0x3f0, 0x52f), ...range(0x1e00, 0x1fff)]), []);
    assert.deepEqual(notShipped(range(0x600, 0x6ff)), []);
    assert.deepEqual(notShipped(range(0x1000, 0x109f)), []);
    // Letters of older or technical spelling that no released Noto Sans has.
    assert.deepEqual(notShipped([...lettersOf('Telugu'), ...lettersOf('Kannada')]), ['U+c5c', 'U+cdc']);
  });

  it('has the symbols of everyday texts', () => {
    for (const [first, last] of [
      [0x2010, 0x205e],
      [0x2070, 0x209c],
      [0x20a0, 0x20c0],
      [0x2100, 0x218b],
      [0x2190, 0x22ff],
      [0x2500, 0x27bf],
    ] as const)
      assert.deepEqual(notShipped(range(first, last)), [], first.toString(16));
  });

  it('has the whole of GB2312, Big5 and JIS X 0208, and every hangul syllable', () => {
    for (const codes of [gb2312(), big5(), jis(), range(0x3041, 0x3096), range(0x30a1, 0x30fa), range(0xac00, 0xd7a3)])
      assert.deepEqual(notShipped(codes), []);
    assert.ok(gb2312().length > 7000 && big5().length > 13_000 && jis().length > 6800);
  });

  it('has every emoji of Unicode, also joined ones and those with a modifier, in one run', () => {
    const broken = emoji
      .map(({ char }) => char)
      .filter((char) => {
        const runs = glyphRuns(char, { han: hanOrder(char) });
        return runs.length !== 1 || runs[0]?.kind === 'missing' || (runs[0]?.kind === 'glyphs' && runs[0].text !== char);
      });
    assert.deepEqual(broken, []);
    assert.ok(emoji.length > 5000);
    const apart = emoji.filter(({ char }) => glyphRuns(char, { han: hanOrder(char) }).some((run) => runEms(run, 400) > 1.5)).map(({ char }) => char);
    assert.deepEqual(apart, [], 'drawn wider than one emoji');
    for (const char of ['❤️‍🔥', '❤️‍🩹', '🏳️‍🌈', '⛓️‍💥']) assert.ok(isSprite(char), char);
    for (const char of ['☝🏽', '✌🏽']) assert.equal(glyphRuns(char, { han: hanOrder(char) })[0]?.kind, 'glyphs');
  });

  it('names the characters that no font has, once for each occurrence, and draws the others', () => {
    assert.deepEqual(missingOf('a ᎣᏏᏲ b'), ['Ꭳ', 'Ꮟ', 'Ᏺ']);
    assert.deepEqual(
      glyphRuns('aᎣb', { han: hanOrder('') }).map(({ kind, text }) => [kind, text]),
      [
        ['glyphs', 'a'],
        ['missing', 'Ꭳ'],
        ['glyphs', 'b'],
      ],
    );
  });

  it('gives a run only a font that has all its characters', () => {
    const text = 'a й العربية 123 日本語。中文，한국어 हिन्दी ₂ ⅓ ℃ ‐ ‡ ↑ e\u0301 ẫ ไทย ភាសា ✓ 😀 ⌘';
    for (const run of glyphRuns(text, { han: hanOrder(text) })) {
      assert.ok(run.kind === 'glyphs', run.text);
      for (const character of run.text.replace(/\p{Default_Ignorable_Code_Point}/gu, ''))
        assert.equal(faceOf(run.face.group, character.codePointAt(0) ?? 0), run.face, character);
    }
  });

  it('leaves out a mark that no font combines with its letter, and names it', () => {
    const missing: string[] = [];
    const runs = glyphRuns('日\u0334x', { han: hanOrder('日') }, (character) => missing.push(character));
    assert.deepEqual(
      runs.map(({ text }) => text),
      ['日', 'x'],
    );
    assert.deepEqual(missing, ['\u0334']);
  });
});

describe('fonts/coverage.json', () => {
  const coverage = JSON.parse(readFileSync(pathOf('fonts/coverage.json'), 'utf8')) as { path: string; bold?: string; ranges: string }[];

  it('lists the installed files; `pnpm -r run generate` writes it', () => {
    assert.deepEqual(
      coverage.map(({ path }) => path),
      shippedFiles.map(({ path }) => path),
    );
    for (const { path, bold } of coverage) for (const file of [path, bold]) assert.ok(file === undefined || existsSync(pathOf(file)), file);
  });

  it('lists the characters that are in the files', () => {
    for (const { path, bold, ranges } of coverage.filter((_, i) => i % 17 === 1)) {
      const inBold = bold === undefined ? null : new Set(charactersOf(bold));
      assert.equal(rangesOf(charactersOf(path).filter((code) => inBold?.has(code) ?? true)), ranges, path);
    }
  });
});

describe('hanOrder', () => {
  it('follows the language', () => {
    for (const [lang, first] of [
      ['ja', 'jp'],
      ['ja-JP', 'jp'],
      ['ko', 'kr'],
      ['zh', 'sc'],
      ['zh-Hans', 'sc'],
      ['zh-Hant', 'tc'],
      ['zh-TW', 'tc'],
      ['zh-Hant-HK', 'tc'],
      ['zh-Hans-HK', 'sc'],
      ['yue', 'tc'],
      ['yue-Hans', 'sc'],
    ] as const)
      assert.equal(hanOrder('直', lang)[0], first, lang);
  });

  it('takes kana for Japanese and hangul for Korean where no language is named, and otherwise simplified Chinese', () => {
    assert.equal(hanOrder('直す')[0], 'jp');
    assert.equal(hanOrder('直 한')[0], 'kr');
    assert.equal(hanOrder('直')[0], 'sc');
    assert.equal(hanOrder('直す', 'zh-Hant')[0], 'tc');
  });
});

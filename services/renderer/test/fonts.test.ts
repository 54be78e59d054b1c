import assert from 'node:assert/strict';
import { familiesFor, withoutUnknownMarks } from '../src/fonts.js';

describe('familiesFor', () => {
  it('returns one family for everything in Noto Sans: Latin, Greek, Cyrillic, Vietnamese, Devanagari', () => {
    for (const text of ['', 'Hello', 'Ärger, Łódź', 'Ελλάδα', 'Привет', 'Việt Nam', 'हिन्दी', '42 % · 10:30 – “x”…'])
      assert.equal(familiesFor(text), '"Perch Sans"', text);
  });

  it('adds the families that a text needs, and no others', () => {
    const added: [string, RegExp][] = [
      ['مرحبا', /^"Perch Sans", "Perch arabic arabic"$/],
      ['שלום', /^"Perch Sans", "Perch hebrew hebrew"$/],
      ['ไทย', /^"Perch Sans", "Perch thai thai"$/],
      ['한국어', /^"Perch Sans"(, "Perch korean \d+")+$/],
      ['中文', /^"Perch Sans"(, "Perch chinese \d+")+$/],
      ['→ ✓', /^"Perch Sans", "Perch symbols", "Perch symbols 2", "Perch math"$/],
      ['Hi 😀 1️⃣', /^"Perch Sans", "Perch Emoji"$/],
    ];
    for (const [text, families] of added) assert.match(familiesFor(text), families, text);
  });

  it('prefers Japanese Han glyphs beside kana, Korean ones beside hangul, and otherwise Chinese ones', () => {
    assert.match(familiesFor('直す'), /japanese/);
    assert.doesNotMatch(familiesFor('直す'), /chinese/);
    assert.match(familiesFor('直 한'), /korean/);
    assert.match(familiesFor('直'), /chinese/);
  });
});

describe('withoutUnknownMarks', () => {
  it('removes combining marks that no font has and keeps the others', () => {
    assert.equal(withoutUnknownMarks('Z\u0337\u0301a\u0323'), 'Z\u0301a\u0323');
    assert.equal(withoutUnknownMarks('שָׁלוֹם हिन्दी ไทยที่ 👩‍👩‍👧‍👦 ❤️'), 'שָׁלוֹם हिन्दी ไทยที่ 👩‍👩‍👧‍👦 ❤️');
  });
});

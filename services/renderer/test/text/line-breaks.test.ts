import assert from 'node:assert/strict';
import { graphemes } from '@perch/screen';
import fc from 'fast-check';
import { parts, pieces } from '../../src/text/line-breaks.js';

const broken = (text: string): string =>
  pieces(text)
    .map((piece) => piece.text.trim() + (piece.hyphen ? '-' : ''))
    .join('|');

describe('pieces', () => {
  it('keeps dates, times, telephone numbers and quantities whole', () => {
    assert.equal(broken('on 2026-11-23 or 12/24/2026'), 'on|2026-11-23|or|12/24/2026');
    assert.equal(broken('12:30–14:00, 3 – 5 pm'), '12:30–14:00,|3 – 5 pm');
    assert.equal(broken('call +49 89 123-456 or 555-123-4567'), 'call|+49 89 123-456|or|555-123-4567');
    assert.equal(broken('now -5 °C, 12.50 €, 50 km/h, $ 5, 40 %'), 'now|-5 °C,|12.50 €,|50 km/h,|$ 5,|40 %');
  });

  it('keeps Korean words and East Asian dates whole', () => {
    assert.equal(broken('오늘은 날씨가 좋네요. Wi-Fi를 켤까요?'), '오늘은|날씨가|좋네요.|Wi-|Fi를|켤까요?');
    assert.equal(broken('会议在2026年11月23日举行'), '会议|在|2026年11月23日|举行');
    assert.equal(broken('10시 30분 11월 23일'), '10시|30분|11월 23일');
  });

  it('leaves no single letter or sign alone at the end of a line', () => {
    assert.equal(broken('in /home/user or ~/x, use --force -v'), 'in|/home/|user|or|~/x,|use|--force|-v');
    assert.equal(broken('e-mail and T-shirt'), 'e-mail|and|T-shirt');
  });

  it('breaks addresses of the web after / ? & and _', () => {
    assert.equal(broken('https://example.org/a/b?c=d&e_f'), 'https://|example.org/|a/|b?|c=|d&|e_|f');
  });

  it('breaks between emoji, never within one', () => {
    assert.equal(broken('😀😀👩‍👩‍👧‍👦🇩🇪🇫🇷👍🏽'), '😀|😀|👩‍👩‍👧‍👦|🇩🇪|🇫🇷|👍🏽');
  });

  it('breaks at a soft hyphen with a hyphen, which is not shown elsewhere', () => {
    assert.equal(broken('soft\u00adware x'), 'soft-|ware|x');
  });

  it('breaks Thai, Japanese and Chinese between words, and never before closing punctuation', () => {
    assert.equal(broken('สวัสดีชาวโลก'), 'สวัสดี|ชาว|โลก');
    assert.equal(broken('日本語です。「はい」'), '日本語|です。|「はい」');
    assert.equal(broken('你好，世界！'), '你好，|世界！');
  });

  it('breaks at spaces and after hyphens, but not at a space that joins', () => {
    assert.equal(broken('well-known word'), 'well-|known|word');
    assert.equal(broken('10\u00a0000 and 1'), '10\u00a0000|and|1');
  });

  it('loses and repeats nothing, and breaks between grapheme clusters only', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), (given) => {
        const text = given.replace(/[\n\u00ad]|\p{Surrogate}/gu, ' ');
        const found = pieces(text);
        assert.equal(found.map((piece) => piece.text).join(''), text);
        assert.equal(found.flatMap((piece) => graphemes(piece.text)).length, graphemes(text).length);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('parts', () => {
  const hyphens = (text: string, anywhere = false): string =>
    parts({ text, hyphen: false }, anywhere)
      .map((part) => part.text + (part.hyphen ? '-' : ''))
      .join('');

  it('breaks a word before a consonant and a vowel', () => {
    assert.equal(hyphens('Bathroom'), 'Bath-room');
    assert.equal(hyphens('Wohnzimmer'), 'Wohn-zim-mer');
    assert.equal(hyphens('Straßenbahnhaltestelle'), 'Stra-ßen-bahnhal-tes-tel-le');
    assert.equal(hyphens('Продолжить'), 'Про-дол-жить');
  });

  it('leaves at least two letters on each side', () => {
    assert.equal(hyphens('aorta'), 'aor-ta');
    assert.equal(hyphens('Bathroom', true), 'Ba-t-h-r-o-om');
    assert.deepEqual(
      parts({ text: 'a.name@b.org', hyphen: false }, false).map(({ text }) => text),
      ['a.', 'na', 'me', '@', 'b.', 'org'],
    );
  });

  it('adds no hyphen within numbers and in scripts without one', () => {
    assert.ok(parts({ text: '1234567日本語', hyphen: false }, false).every(({ hyphen }) => !hyphen));
  });
});

/** Generates texts of all kinds: scripts, emoji sequences, stacked marks, control characters, lone surrogates, very long texts. */
import fc from 'fast-check';

const pieces = [
  'Yes',
  'a word',
  '日本語',
  '中文',
  '한국어',
  'مرحبا',
  'שלום',
  'ไทย',
  'हिन्दी',
  '👩‍👩‍👧‍👦',
  '🇩🇪',
  '👍🏽',
  '1️⃣',
  'e\u0301',
  'Z\u0334\u0337\u0335',
  '\n',
  '\r\n',
  '\u2028',
  '\t',
  ' ',
  '',
  '\u0000',
  '\ud800',
  '\u202e',
  '\u200b',
  '\u200f',
  '\u2067',
  '\u2800',
  'می\u200cخواهم',
  '\u{e0061}',
  '-',
  'x'.repeat(80),
];

export const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join('')),
  fc.constantFrom('', 'Yes', 'x'.repeat(2000), 'word '.repeat(400), '👩‍👩‍👧‍👦'.repeat(200), 'a' + '\u0301'.repeat(2000)),
);

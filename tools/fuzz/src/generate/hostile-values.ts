/** Values that fit nowhere, and texts that are hard to parse, measure, draw or log. */
import { Raw } from './json.js';
import type { Probe } from './probe.js';

function nested(levels: number, open: string, close: string): Raw {
  return new Raw(`${open.repeat(levels)}1${close.repeat(levels)}`);
}

export const hostileValues: readonly Probe[] = [
  { what: 'null', value: null },
  { what: 'true', value: true },
  { what: 'zero', value: 0 },
  { what: 'empty text', value: '' },
  { what: 'a number as text', value: '1' },
  { what: 'NaN as text', value: 'NaN' },
  { what: 'empty list', value: [] },
  { what: 'a list of null', value: [null] },
  { what: 'empty object', value: {} },
  { what: 'an object like a list', value: { length: 2, 0: 'a', 1: 'b' } },
  { what: 'an object with toString', value: { toString: 'x', valueOf: 1 } },
  { what: '1e400', value: new Raw('1e400') },
  { what: '-1e400', value: new Raw('-1e400') },
  { what: 'minus zero', value: new Raw('-0') },
  { what: 'a number below doubles', value: new Raw('1e-400') },
  { what: 'an integer above doubles', value: new Raw('9007199254740993') },
  { what: 'a number of 400 digits', value: new Raw('9'.repeat(400)) },
  { what: 'a list 200 deep', value: nested(200, '[', ']') },
  { what: 'an object 200 deep', value: nested(200, '{"a":', '}') },
  { what: 'a list 20,000 deep', value: nested(20_000, '[', ']') },
  { what: 'a list of 5,000', value: new Raw(`[${'0,'.repeat(4999)}0]`) },
];

export const prototypeNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];

/** All short: lengths are tested by the schemas' bounds. */
export const hostileTexts: readonly Probe[] = [
  { what: 'NUL', value: 'a\u0000b' },
  { what: 'control characters', value: '\u0001\u0007\u001b[2J\u007f\u0085' },
  { what: 'a lone high surrogate', value: 'a\ud800' },
  { what: 'lone surrogates in the wrong order', value: '\udfff\ud800' },
  { what: 'bidi overrides', value: '\u202eabc\u2066def\u2069\u200f' },
  { what: 'an emoji family', value: '👩‍👩‍👧‍👦' },
  { what: 'a flag and half a flag', value: '🇩🇪🇩' },
  { what: 'skin tones without a hand', value: '🏽🏽' },
  { what: 'a keycap', value: '1️⃣' },
  { what: '200 accents on a letter', value: `a${'\u0301'.repeat(60)}` },
  { what: 'only joiners', value: '\u200d\u200d\ufe0f' },
  { what: 'a noncharacter', value: '\ufffe\uffff' },
  { what: 'the byte order mark', value: '\ufeffx' },
  { what: 'line and paragraph separators', value: 'a\u2028b\u2029c' },
  { what: 'white space alone', value: ' \t\n\r\u3000 ' },
  { what: 'many scripts', value: 'Aあ漢ไทयש ع' },
  { what: 'a template', value: '{{7*7}}${7*7}<%=7*7%>' },
  { what: 'a script', value: '<script>alert(1)</script>' },
  { what: 'SQL', value: `'; DROP TABLE robots; --` },
  { what: 'a line of Redis', value: '\r\nFLUSHALL\r\n' },
  { what: 'a log line', value: 'x"}\n{"level":"fatal","msg":"forged' },
  { what: 'a format', value: '%s%n%d%x' },
  { what: 'a path', value: '../../../../etc/passwd\u0000.png' },
  { what: 'prototype', value: '__proto__' },
];

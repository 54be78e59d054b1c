import fc from 'fast-check';
import { gzipSync } from 'node:zlib';

export interface ChangedBody {
  what: string;
  bytes: Buffer;
}

const garbage = ['x', '}', ',', '\u0000', '{}', ' // comment', '\n{"text":"y"}', '/* c */', ';', '\ufeff', '"'];
const invalidUtf8 = ['ff', 'c3', 'c0af', 'eda080', 'f4908080', 'f8808080', 'e28281e2'];
const notJson = [
  "{'text':'x'}",
  '{text:"x"}',
  '{"text":"x",}',
  '{"text":NaN}',
  '{"text":-Infinity}',
  '{"text":.5}',
  '{"text":+1}',
  '{"text":01}',
  '{"text":0x1}',
  '{"text":1.}',
  '{"text":"\u0001"}',
  '{"text":"\\x41"}',
  '{"text":"\\u12"}',
  '{"text":undefined}',
  '{"text"}',
  '{,}',
  '[}',
  '"',
  'nul',
  'tru',
  '-',
  '\u0000',
  'a=b&c=d',
  '<xml/>',
  '--boundary\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--boundary--',
];
const notObjects = ['null', 'true', '0', '-0', '1e400', '""', '[]', '[{}]', '[[[]]]', ' \t\r\n[]'];

export function changedBodies(texts: readonly string[]): fc.Arbitrary<ChangedBody> {
  const text = fc.constantFrom(...texts);
  const at = fc.double({ min: 0, max: 1, noNaN: true });
  const changed = (what: string, bytes: Buffer): ChangedBody => ({ what, bytes });
  return fc.oneof(
    fc.tuple(text, at).map(([body, share]) => changed('cut off', cut(Buffer.from(body), share))),
    fc.tuple(text, fc.constantFrom(...garbage)).map(([body, more]) => changed('with more behind it', Buffer.from(body + more))),
    fc.tuple(text, fc.constantFrom(...garbage)).map(([body, more]) => changed('with more before it', Buffer.from(more + body))),
    fc
      .tuple(text, at, fc.constantFrom(...invalidUtf8))
      .map(([body, share, hex]) => changed('not UTF-8', spliced(Buffer.from(body), share, Buffer.from(hex, 'hex')))),
    fc
      .tuple(text, at, fc.uint8Array({ minLength: 1, maxLength: 6 }))
      .map(([body, share, bytes]) => changed('with bytes in it', spliced(Buffer.from(body), share, Buffer.from(bytes)))),
    fc.tuple(text, at, fc.nat(255)).map(([body, share, byte]) => changed('with another byte', flipped(Buffer.from(body), share, byte))),
    text.map((body) => changed('UTF-16', Buffer.from(`\ufeff${body}`, 'utf16le'))),
    text.map((body) => changed('gzip', gzipSync(body))),
    text.map((body) => changed('twice', Buffer.from(body + body))),
    fc.constantFrom(...notJson).map((body) => changed('no JSON', Buffer.from(body))),
    fc.constantFrom(...notObjects).map((body) => changed('no object', Buffer.from(body))),
    fc.nat(4).map((power) => changed('open brackets', Buffer.from('['.repeat(10 ** power)))),
    fc.nat(4).map((power) => changed('open objects', Buffer.from('{"a":'.repeat(10 ** power)))),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => changed('random bytes', Buffer.from(bytes))),
  );
}

function cut(bytes: Buffer, share: number): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length * share));
}

function spliced(bytes: Buffer, share: number, more: Buffer): Buffer {
  const at = Math.floor(bytes.length * share);
  return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
}

function flipped(bytes: Buffer, share: number, byte: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[Math.min(copy.length - 1, Math.floor(copy.length * share))]! ^= byte;
  return copy;
}

/** Frames after the welcome, and their effect on the session by robot-link.md. */
import { asyncApiDocument, limits } from '@perch/schema';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { deflateRawSync } from 'node:zlib';
import { jsonText } from '../generate/json.js';
import { mutantsOf } from '../generate/mutants.js';
import type { Schema } from '../generate/probes.js';
import { frameOf, opcodes, textFrame } from './frames.js';

export interface LinkShape {
  what: string;
  bytes: Buffer;
  ends: readonly ('goes on' | number)[];
  /** Whether part of it is answered before the close. */
  flood?: boolean;
}

export interface LinkMessage {
  name: string;
  example: Record<string, unknown>;
  schema: Schema;
  fits: ValidateFunction;
}

const { textBytesMax } = limits.link;

/** From the published AsyncAPI document. */
export function messagesFromRobot(): LinkMessage[] {
  const { components, operations } = asyncApiDocument('localhost');
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, allErrors: false, validateFormats: false });
  const names = (operations['receive']!['messages'] as { $ref: string }[]).map(({ $ref }) => $ref.split('/').at(-1)!);
  return names.map((name) => {
    const { payload, examples } = components.messages[name]!;
    const example = (examples?.[0]?.payload ?? { t: name }) as Record<string, unknown>;
    return { name, example, schema: payload, fits: ajv.compile(payload) };
  });
}

/** First, only a valid `hello` is accepted. Later, wrong fields never end the session: the message is dropped; numbered input is acked. */
export function endOf(text: string, messages: readonly LinkMessage[], first: boolean): readonly ('goes on' | number)[] {
  if (Buffer.byteLength(text) > textBytesMax) return [4008];
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return [4400];
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return [4400];
  const { t, seq, v } = message as { t?: unknown; seq?: unknown; v?: unknown };
  if (typeof t !== 'string') return [4400];
  if (first) {
    const others = Array.isArray(v) && v.length > 0 && !v.includes(1);
    if (t !== 'hello') return [4400];
    return others ? [4010, 4400] : messages.find(({ name }) => name === 'hello')!.fits(message) ? ['goes on'] : [4400];
  }
  if (t === 'hello') return [4400];
  return t !== 'in' || (Number.isSafeInteger(seq) && (seq as number) >= 1) ? ['goes on'] : [4400];
}

export function messageTexts(messages: readonly LinkMessage[]): { what: string; text: string }[] {
  return messages.flatMap(({ name, example, schema }) => [
    { what: name, text: JSON.stringify(example) },
    ...mutantsOf(schema, example).map(({ what, change }) => ({ what: `${name}, ${what}`, text: jsonText(change(example)) })),
  ]);
}

export function linkShapes(messages: readonly LinkMessage[], texts: readonly { what: string; text: string }[]): fc.Arbitrary<LinkShape> {
  const said = fc.constantFrom(...texts).map(({ what, text }) => ({ what, bytes: textFrame(text), ends: endOf(text, messages, false) }));
  const inputs = messages.filter(({ name }) => name.startsWith('in_')).map(({ example }) => example);
  const unreadable = fc
    .record({
      input: fc.constantFrom(...inputs),
      seq: fc.integer({ min: 1, max: 1e6 }),
      fields: fc.dictionary(fc.string(), fc.jsonValue()),
      gone: fc.nat(),
    })
    .map(({ input, seq, fields, gone }) => {
      const names = Object.keys(input).filter((name) => name !== 't');
      const text = JSON.stringify({ ...input, ...fields, [names[gone % names.length]!]: 'front', t: 'in', seq });
      return { what: 'an input with fields that do not fit', bytes: textFrame(text), ends: endOf(text, messages, false) };
    });
  const anyText = fc.oneof(fc.json({ stringUnit: 'binary' }), fc.string({ unit: 'binary', maxLength: 60 })).map((text) => {
    return { what: 'any text', bytes: textFrame(text), ends: endOf(Buffer.from(text).toString('utf8'), messages, false) };
  });
  const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => {
    const payload = Buffer.from(bytes);
    const text = payload.toString('utf8');
    const isText = Buffer.from(text).equals(payload);
    return { what: 'any bytes as text', bytes: frameOf(payload, { opcode: opcodes.text }), ends: isText ? endOf(text, messages, false) : [4400] };
  });
  return fc.oneof(
    { weight: 12, arbitrary: said },
    { weight: 3, arbitrary: unreadable },
    { weight: 2, arbitrary: anyText },
    { weight: 2, arbitrary: anyBytes },
    { weight: 4, arbitrary: fc.constantFrom(...brokenFrames()) },
  );
}

export function brokenFrames(): LinkShape[] {
  const ping = Buffer.from('{"t":"ping"}');
  const text = { opcode: opcodes.text };
  const shape = (what: string, bytes: Buffer, ...ends: LinkShape['ends']): LinkShape => ({ what, bytes, ends });
  const closeWith = (payload: Buffer): Buffer => frameOf(payload, { opcode: opcodes.close });
  const code = (number: number, reason = ''): Buffer => {
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16BE(number);
    return closeWith(Buffer.concat([bytes, Buffer.from(reason)]));
  };
  return [
    shape('binary', frameOf(Buffer.alloc(8), { opcode: opcodes.binary }), 4400),
    shape('empty binary', frameOf(Buffer.alloc(0), { opcode: opcodes.binary }), 4400),
    shape('an empty text', frameOf(Buffer.alloc(0), text), 4400),
    shape('a text of 16 KB', textFrame(`{"t":"ping","x":"${'y'.repeat(textBytesMax - 19)}"}`), 'goes on'),
    shape('a text of 16 KB and a byte', textFrame(`{"t":"ping","x":"${'y'.repeat(textBytesMax - 18)}"}`), 4008),
    shape('a text of 70 KB', textFrame('x'.repeat(70_000)), 4008),
    shape('a length of 2^63', frameOf(ping, { ...text, says: 2n ** 63n, lengthBytes: 8 }), 4008, 4400),
    shape('a length of 2^40', frameOf(ping, { ...text, says: 2 ** 40, lengthBytes: 8 }), 4008),
    shape('not UTF-8', frameOf(Buffer.from('{"t":"\xff\xfe"}', 'latin1'), text), 4400),
    shape('a surrogate in UTF-8', frameOf(Buffer.from('7b2274223a22eda080227d', 'hex'), text), 4400),
    ...[1, 2, 3, 4, 7].map((rsv) => shape(`reserved bits ${rsv}`, frameOf(ping, { ...text, rsv }), 4400)),
    shape('compressed although that is off', frameOf(deflateRawSync(ping), { ...text, rsv: 4 }), 4400),
    ...[3, 4, 5, 6, 7, 11, 12, 15].map((opcode) => shape(`opcode ${opcode}`, frameOf(ping, { opcode }), 4400)),
    shape('no mask', frameOf(ping, { ...text, masked: false }), 4400),
    shape('a ping of 126 bytes', frameOf(Buffer.alloc(126), { opcode: opcodes.ping }), 4400),
    shape('a ping in parts', frameOf(ping, { opcode: opcodes.ping, fin: false }), 4400),
    shape('a continuation of nothing', frameOf(ping, { opcode: opcodes.continuation }), 4400),
    shape('a text within a text', Buffer.concat([frameOf(ping, { ...text, fin: false }), frameOf(ping, text)]), 4400),
    shape(
      'a text in parts, a ping between',
      Buffer.concat([
        frameOf(ping.subarray(0, 5), { ...text, fin: false }),
        frameOf(Buffer.from('hi'), { opcode: opcodes.ping }),
        frameOf(ping.subarray(5), { opcode: opcodes.continuation }),
      ]),
      'goes on',
    ),
    shape('a text of bytes, each a part', inParts(Buffer.from('{"t":"pong"}')), 'goes on'),
    shape('70 KB in parts of 1 KB', inParts(Buffer.alloc(70_000, 0x20), 1000), 4008, 4400),
    shape('a length in more bytes than it takes', frameOf(ping, { ...text, lengthBytes: 2 }), 'goes on', 4400),
    shape('a pong that nobody asked for', frameOf(Buffer.from('x'), { opcode: opcodes.pong }), 'goes on'),
    shape('a close without a code', closeWith(Buffer.alloc(0)), 1005),
    shape('a close of one byte', closeWith(Buffer.alloc(1)), 4400),
    ...[0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535].map((number) => shape(`a close with ${number}`, code(number), 4400)),
    ...[1000, 1001, 3000, 4999].map((number) => shape(`a close with ${number}`, code(number), number)),
    shape('a close with a reason that is not UTF-8', closeWith(Buffer.from('03e8fffe', 'hex')), 4400),
    shape('a close of 126 bytes', code(1000, 'x'.repeat(124)), 4400),
    { ...shape('a flood of pings', Buffer.concat(Array.from({ length: 3000 }, () => textFrame('{"t":"ping"}'))), 4008), flood: true },
    shape('a flood of nothing', Buffer.concat(Array.from({ length: 3000 }, () => frameOf(Buffer.alloc(0), { opcode: opcodes.pong }))), 4008),
  ];
}

function inParts(payload: Buffer, size = 1): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < payload.length; at += size) {
    const opcode = at === 0 ? opcodes.text : opcodes.continuation;
    parts.push(frameOf(payload.subarray(at, at + size), { opcode, fin: at + size >= payload.length }));
  }
  return Buffer.concat(parts);
}

import assert from 'node:assert/strict';
import { frameOf, opcodes } from '../src/link/frames.js';
import { brokenFrames, endOf, messagesFromRobot, messageTexts } from '../src/link/link-shapes.js';

describe('frames on the robot link', () => {
  const messages = messagesFromRobot();

  it('starts from every message of a robot, which all keep the session open, except a second hello', () => {
    assert.ok(messages.length >= 17);
    for (const { name, example } of messages) {
      assert.deepEqual(endOf(JSON.stringify(example), messages, false), name === 'hello' ? [4400] : ['goes on'], name);
    }
    assert.deepEqual(endOf(JSON.stringify(messages.find(({ name }) => name === 'hello')!.example), messages, true), ['goes on']);
  });

  it('expects the close codes of the protocol', () => {
    for (const [text, first, ends] of [
      ['', false, [4400]],
      ['[]', false, [4400]],
      ['{"t":1}', false, [4400]],
      ['{"t":"of_tomorrow"}', false, ['goes on']],
      ['{"t":"in","seq":1,"ms":1,"kind":"of_tomorrow"}', false, ['goes on']],
      ['{"t":"in","seq":0,"ms":1,"kind":"of_tomorrow"}', false, [4400]],
      ['{"t":"in","seq":1,"ms":1,"kind":"usb","present":1}', false, ['goes on']],
      ['{"t":"in","seq":1,"ms":"late"}', false, ['goes on']],
      ['{"t":"in","ms":1,"kind":"usb","present":true}', false, [4400]],
      ['{"t":"sensors","values":5}', false, ['goes on']],
      [`{"t":"ping","x":"${'y'.repeat(17_000)}"}`, false, [4008]],
      ['{"t":"ping"}', true, [4400]],
    ] as const) {
      assert.deepEqual(endOf(text, messages, first), ends, text.slice(0, 60));
    }
  });

  it('generates messages that keep or end the session, and frames with every opcode', () => {
    const ends = messageTexts(messages).map(({ text }) => endOf(text, messages, false)[0]);
    assert.ok(ends.includes('goes on') && ends.includes(4400) && ends.includes(4008));
    const firstBytes = new Set(brokenFrames().map(({ bytes }) => bytes[0]! & 15));
    for (let opcode = 0; opcode < 16; opcode++) if (opcode < 13 || opcode === 15) assert.ok(firstBytes.has(opcode), String(opcode));
  });

  it('encodes opcode, length and flags as requested', () => {
    assert.deepEqual([...frameOf(Buffer.from('a'), { opcode: opcodes.text })], [0x81, 0x81, 0, 0, 0, 0, 0x61]);
    assert.deepEqual([...frameOf(Buffer.from('a'), { opcode: 3, fin: false, rsv: 4, masked: false })], [0x43, 0x01, 0x61]);
    assert.equal(frameOf(Buffer.alloc(300), { opcode: 2 }).readUInt16BE(2), 300);
    assert.equal(frameOf(Buffer.alloc(1), { opcode: 2, says: 2n ** 63n, lengthBytes: 8 }).readBigUInt64BE(2), 2n ** 63n);
  });
});

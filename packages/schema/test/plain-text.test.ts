import assert from 'node:assert/strict';
import fc from 'fast-check';
import { escapeUnsafe, isEmailAddress, isPlainText, nameProblem, plainTextPattern, replaceUnsafe, serialProblem } from '../src/plain.js';
import { parsePairRequest, parseRobotMessage } from '../src/index.js';
import { linkExamples } from '../src/link/asyncapi.js';

const unsafe = ['\0', '\n', '\r', '\x1b', '\x7f', '\x85', '\x9b', '\u061c', '\u200e', '\u200f', '\u2028', '\u202a', '\u202e', '\u2066', '\u2069'];
const safe = ['Küche', 'שולחן', 'مكتب', '机器人', '👩‍🍳', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'a\u00a0b', "O'Hara-1.0+x"];

describe('plain text', () => {
  it('rejects control and text-direction characters and accepts letters and emoji of all scripts', () => {
    for (const character of unsafe) assert.equal(isPlainText(`a${character}b`), false, JSON.stringify(character));
    for (const text of safe) assert.equal(isPlainText(text), true, text);
  });

  it('gives the same result with the JSON Schema pattern and the function', () => {
    const pattern = new RegExp(plainTextPattern, 'u');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(pattern.test(text), isPlainText(text));
      }),
    );
  });

  it('escapes every unsafe character as \\uXXXX, so that nothing printed is unsafe and JSON keeps its value', () => {
    assert.equal(escapeUnsafe('\x1b]52;c;aGk=\x07 \u202egpj \x9b2J'), '\\u001b]52;c;aGk=\\u0007 \\u202egpj \\u009b2J');
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...unsafe))), (texts) => {
        const json = escapeUnsafe(JSON.stringify(texts));
        assert.ok(isPlainText(json));
        assert.deepEqual(JSON.parse(json), texts);
      }),
    );
  });

  it('rejects unsafe characters in names and e-mail addresses', () => {
    for (const character of unsafe) {
      assert.match(nameProblem(`Desk${character}1`) ?? '', /control characters/, JSON.stringify(character));
      assert.equal(isEmailAddress(`ada${character}@example.org`), false, JSON.stringify(character));
    }
    for (const text of safe) assert.equal(nameProblem(text), null, text);
    assert.equal(isEmailAddress('ada@example.org'), true);
  });

  it('counts code points in names and serial numbers, as the schemas do', () => {
    for (const problemOf of [nameProblem, serialProblem]) {
      assert.equal(problemOf('🤖'.repeat(64)), null);
      for (const tooLong of ['🤖'.repeat(65), 'x'.repeat(65), 'x'.repeat(100_000)]) assert.equal(problemOf(tooLong), 'at most 64 characters');
    }
  });

  it('replaces lone surrogates in texts of robots, and keeps pairs', () => {
    const request = parsePairRequest(JSON.parse('{"serial":"SN \\ud83d\\ude00","model":"a\\ud800b","firmware":"\\udc00"}'));
    assert.deepEqual(request, { serial: 'SN \u{1f600}', model: 'a\ufffdb', firmware: '\ufffd' });
  });

  it('replaces unsafe characters in texts of robots instead of rejecting the robot', () => {
    const told = 'Desk\x1b[2J\u202e1';
    assert.deepEqual(parsePairRequest({ serial: told, model: told, firmware: told }), {
      serial: replaceUnsafe(told),
      model: 'Desk\ufffd[2J\ufffd1',
      firmware: replaceUnsafe(told),
    });
    const hello = parseRobotMessage(JSON.stringify({ ...(linkExamples['hello']![0] as object), model: told, firmware: '\x07' })) as {
      model: string;
      firmware: string;
    };
    assert.deepEqual([hello.model, hello.firmware], ['Desk\ufffd[2J\ufffd1', '\ufffd']);
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  closeCodes,
  inputKinds,
  parsePairRequest,
  parsePairTokenRequest,
  parseRobotMessage,
  robotCommandNames,
  robotCommands,
} from '../../src/index.js';
import { linkExamples } from '../../src/link/asyncapi.js';

const parsed = (message: unknown) => parseRobotMessage(JSON.stringify(message));
const fromRobot = ['hello', 'ack', 'sensors', 'flow', 'play_done', 'ping', 'pong', ...inputKinds.map((kind) => `in_${kind}`)];
const hello = linkExamples['hello']![0] as Record<string, unknown>;
const document = readFileSync(new URL('../../../../docs/robot-link.md', import.meta.url), 'utf8');

function problem(message: unknown): string {
  const result = parsed(message);
  assert.ok('problem' in result, JSON.stringify(result));
  return result.problem;
}

function stateOf(result: ReturnType<typeof parseRobotMessage>): 'read' | 'unreadable' | 'malformed' {
  if (!('problem' in result)) return 'read';
  return 't' in result ? 'unreadable' : 'malformed';
}

describe('messages of a robot', () => {
  for (const name of fromRobot) {
    it(`reads ${name} unchanged, with fields of a later version`, () => {
      for (const example of linkExamples[name]!) {
        assert.deepEqual(parsed(example), example);
        const later = parsed({ ...(example as object), later: { deep: [1] } });
        assert.ok(!('problem' in later));
      }
    });

    it(`reports a missing required field of ${name} as malformed (hello) or unreadable, and accepts it without each optional one`, () => {
      for (const example of linkExamples[name]!) {
        for (const field of Object.keys(example as object)) {
          const { [field]: _, ...rest } = example as Record<string, unknown>;
          const result = parsed(rest);
          const optional = new Set(
            'result code error screen audio leds showing commands playing type ndef_b64 sprite dark played_ms boot'
              .split(' ')
              .concat(name === 'in_head_swipe' ? ['zone'] : []),
          );
          const expected = optional.has(field) ? 'read' : field === 't' || name === 'hello' || field === 'seq' ? 'malformed' : 'unreadable';
          assert.equal(stateOf(result), expected, `${name}.${field}`);
        }
      }
    });
  }

  it('accepts a hello without the parts that the robot does not have', () => {
    const { commands: _, leds: __, audio: ___, ...rest } = linkExamples['hello']![0] as Record<string, unknown>;
    for (const showing of [undefined, {}, { card: null }]) {
      const hello = parsed({ ...rest, showing }) as { showing: unknown; commands: unknown };
      assert.deepEqual(hello.showing, { card: null, question: null, emotion: 'neutral', view: 'face' });
      assert.deepEqual(hello.commands, []);
    }
  });

  it('ignores messages of an unknown t', () => {
    for (const t of ['later', '', '__proto__', 'constructor', 'unknown', 'welcome', 'cmd']) assert.deepEqual(parsed({ t, v: 'x' }), { t: 'unknown' });
  });

  it('keeps the number of input of an unknown kind, so that it is acknowledged', () => {
    assert.deepEqual(parsed({ t: 'in', seq: 7, ms: 3, kind: 'smell', x: 1 }), { t: 'in', seq: 7, ms: 3, kind: 'unknown' });
    assert.match(problem({ t: 'in', ms: 3, kind: 'smell' }), /^in: seq is required but missing/);
    assert.match(problem({ t: 'in', seq: 1, ms: 3 }), /^in: kind is required but missing/);
  });

  it('keeps the number of any input with a valid seq, whatever else it contains, so that it can be acknowledged', () => {
    const { problem: why, ...rest } = parsed({ t: 'in', seq: 7, ms: 3, kind: 'head_down', zone: 'front' }) as { problem: string };
    assert.deepEqual(rest, { t: 'in', seq: 7, ms: 3, kind: 'unreadable', of: 'head_down' });
    assert.match(why, /^in: zone must be a whole number, not a string/);
    const kinds = fc.oneof(fc.constantFrom(...inputKinds, 'smell', '__proto__', 'constructor'), fc.jsonValue());
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), kinds, fc.dictionary(fc.string(), fc.jsonValue()), (seq, kind, fields) => {
        const result = parsed({ ...fields, t: 'in', seq, kind });
        assert.ok(stateOf(result) !== 'malformed' && (result as { seq: number }).seq === seq);
      }),
    );
    for (const seq of [0, -1, 1.5, '7', null, 2 ** 53])
      assert.equal(stateOf(parsed({ t: 'in', seq, ms: 1, kind: 'usb', present: true })), 'malformed');
  });

  it('reads decoded infrared codes and short or long presses in place of raw lengths and times', () => {
    const accepted: object[] = [
      { kind: 'ir', address: 0xbf00, command: 8 },
      { kind: 'ir', raw_us: [9000, 4500], address: 1, command: 8 },
      { kind: 'power_key', press: 'long' },
      { kind: 'power_key', press: 'short', held_ms: 20 },
    ];
    for (const fields of accepted) assert.equal(stateOf(parsed({ t: 'in', seq: 1, ms: 1, ...fields })), 'read', JSON.stringify(fields));
    assert.match(problem({ t: 'in', seq: 1, ms: 1, kind: 'ir', address: 4 }), /^in: The arguments are wrong: needs raw_us, or address and command/);
    assert.match(problem({ t: 'in', seq: 1, ms: 1, kind: 'power_key' }), /needs held_ms, or press/);
    assert.match(problem({ t: 'in', seq: 1, ms: 1, kind: 'power_key', press: 'double' }), /^in: press "double" is not one of short, long/);
  });

  it('keeps of hello.screen.formats those that the service can send, in their order; png8 is a PNG, with or without a palette', () => {
    const screenOf = (formats: string[]): unknown => {
      const { screen } = parsed({ ...hello, screen: { w: 320, h: 240, formats, max_bytes: 98_304 } }) as { screen: Record<string, unknown> };
      return [screen['formats'], screen['palette'] ?? false];
    };
    assert.deepEqual(screenOf(['jpeg', 'png']), [['jpeg', 'png'], false]);
    assert.deepEqual(screenOf(['webp', 'png']), [['png'], false]);
    assert.deepEqual(screenOf(['png8', 'png', 'jpeg']), [['png', 'jpeg'], true]);
    assert.deepEqual(screenOf(['jpeg', 'png8']), [['jpeg', 'png'], true]);
    assert.deepEqual(screenOf(['webp']), [['png', 'jpeg'], false]);
  });

  it('completes hello.boot: an unknown cause is `other`, and the error is one clean line', () => {
    const boot = (sent: unknown) => (parsed({ ...hello, boot: sent }) as { boot: unknown }).boot;
    assert.equal(boot(undefined), null);
    assert.deepEqual(boot({ cause: 'watchdog' }), { cause: 'watchdog', error: null });
    assert.deepEqual(boot({ cause: 'meteor', error: 'Traceback:\n\u001b[31m boom' }), { cause: 'other', error: 'Traceback: \ufffd[31m boom' });
    assert.equal(stateOf(parsed({ ...hello, boot: 'watchdog' })), 'malformed');
  });

  it('reports messages that are not JSON objects with a string t as malformed', () => {
    for (const text of ['', '{', 'null', '[]', '"a"', '1', '{}', '{"t":1}', '{"t":null}', '{"__proto__":{"t":"ping"}}']) {
      assert.ok('problem' in parseRobotMessage(text), text);
    }
  });

  it('never throws for any text', () => {
    fc.assert(fc.property(fc.json(), (text) => void parseRobotMessage(text)));
    const field = fc.constantFrom('seq', 'ms', 'id', 'ok', 'x', 'y', 'values', 'stream', 'samples', 'uid', 'v', 'commands', 'showing');
    const message = fc.tuple(fc.constantFrom(...fromRobot), field, fc.jsonValue());
    fc.assert(
      fc.property(message, ([name, key, value]) => {
        const result = parsed({ ...(linkExamples[name]![0] as object), [key]: value });
        assert.ok('problem' in result ? result.problem.length > 0 : typeof result.t === 'string');
      }),
    );
  });

  const malformed: [object, RegExp][] = [
    [{ t: 'in', seq: 0, ms: 1, kind: 'usb', present: true }, /^in: seq at least 1/],
    [{ t: 'in', seq: 1.5, ms: 1, kind: 'usb', present: true }, /^in: seq must be a whole number/],
    [{ t: 'in', seq: 1, ms: -1, kind: 'usb', present: true }, /^in: ms at least 0/],
    [{ t: 'in', seq: 1, ms: 1, kind: 'touch_up', x: 1, y: 2 }, /^in: held_ms is required but missing/],
    [{ t: 'in', seq: 1, ms: 1, kind: 'nfc_in', uid: 'xyz' }, /^in: uid does not match/],
    [{ t: 'in', seq: 1, ms: 1, kind: 'imu_burst', hz: 100, samples: [[1, 2]] }, /^in: samples\[0\] exactly 3 entries/],
    [{ t: 'in', seq: 1, ms: 1, kind: 'head_swipe', zone: 1, dir: 'up' }, /^in: dir "up" is not one of forward, back/],
    [{ t: 'flow', stream: 65_536, received: 0, free: 0 }, /^flow: stream at most 65535/],
    [{ t: 'play_done', stream: 1, reason: 'tired' }, /^play_done: reason "tired"/],
    [{ t: 'sensors', values: [] }, /^sensors: values must be an object, not a list/],
    [{ t: 'ack', id: '', ms: 1, ok: true }, /^ack: id at least 1 character/],
    [{ ...hello, v: [] }, /^hello: v at least 1 entry/],
    [{ ...hello, reason: 'boredom' }, /^hello: reason "boredom"/],
    [{ ...hello, showing: { card: 1 } }, /^hello: showing/],
    [{ ...hello, commands: [{ name: 'a', args: 1 }] }, /^hello: commands\[0\]\.args must be an object/],
    [{ ...hello, commands: Array.from({ length: 129 }, () => ({ name: 'a' })) }, /^hello: commands at most 128 entries/],
  ];
  for (const [message, words] of malformed) {
    it(`reports a malformed message: ${words.source}`, () => assert.match(problem(message), words));
  }

  it('fills in a missing result or code of an ack, and reads a code of a later version as hardware', () => {
    assert.deepEqual(parsed({ t: 'ack', id: 'c', ms: 1, ok: true }), { t: 'ack', id: 'c', ms: 1, ok: true, result: {} });
    assert.deepEqual(parsed({ t: 'ack', id: 'c', ms: 1, ok: false, code: 'tired', error: 'zzz' }), {
      t: 'ack',
      id: 'c',
      ms: 1,
      ok: false,
      code: 'hardware',
      error: 'zzz',
    });
    assert.deepEqual(parsed({ t: 'ack', id: 'c', ms: 1, ok: false, code: 'busy' }), {
      t: 'ack',
      id: 'c',
      ms: 1,
      ok: false,
      code: 'busy',
      error: 'busy',
    });
  });

  it('accepts a hello of another link version, so that the service can close with 4010', () => {
    assert.deepEqual((parsed({ ...hello, v: [2, 3] }) as { v: number[] }).v, [2, 3]);
  });
});

describe('the lists of the robot link', () => {
  const section = (from: string, to: string) => document.slice(document.indexOf(from), document.indexOf(to));
  const names = (text: string) => [...text.matchAll(/`([a-z_.]+)`/g)].map(([, name]) => name!);
  const firstColumn = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => names(line.split('|')[1]!));

  it('has exactly the commands of robot-link.md, with their features', () => {
    assert.deepEqual(firstColumn(section('## Commands', '## Media')).sort(), [...robotCommandNames].sort());
    for (const line of section('## Commands', '## Media')
      .split('\n')
      .filter((each) => each.startsWith('| `'))) {
      const columns = line.split(' | ');
      const feature = columns.at(-1)!.replace(/ \|$/, '');
      for (const name of names(columns[0]!)) assert.equal(robotCommands[name as 'face'].feature ?? '-', feature, name);
    }
  });

  it('has exactly the kinds of input of robot-link.md', () => {
    assert.deepEqual(firstColumn(section('## Input', '## Life')).sort(), [...inputKinds].sort());
  });

  it('has exactly the close codes of robot-link.md', () => {
    const codes = [...section('Close codes:', 'On every code').matchAll(/\b(4\d{3}) /g)].map(([, code]) => code);
    assert.deepEqual([...new Set(codes)].sort(), Object.keys(closeCodes).sort());
  });
});

describe('pairing requests', () => {
  it('requires serial, model and firmware in a request, and the device code in a poll', () => {
    const request = { serial: 's', model: 'm', firmware: 'f' };
    assert.deepEqual(parsePairRequest(request), request);
    assert.deepEqual(parsePairTokenRequest({ device_code: 'd' }), { device_code: 'd' });
    for (const body of [null, [], 'a', {}, { ...request, serial: '' }, { ...request, model: 'x'.repeat(65) }, { ...request, firmware: 1 }]) {
      assert.ok('problem' in parsePairRequest(body), JSON.stringify(body));
    }
    for (const body of [null, {}, { device_code: '' }, { device_code: 'x'.repeat(129) }]) assert.ok('problem' in parsePairTokenRequest(body));
  });
});

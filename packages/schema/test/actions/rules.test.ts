import assert from 'node:assert/strict';
import { validateArgs, validateEventsQuery, type ActionName } from '../../src/index.js';
import { refusal } from '../refusal.js';

const colors12 = Array<string>(12).fill('red');

describe('rules between arguments', () => {
  for (const name of ['show', 'face', 'move', 'leds', 'sound'] as const) {
    it(`${name} rejects a call with nothing to do, and says what to send`, () => {
      const error = refusal(() => validateArgs(name, {}));
      assert.equal(error.code, 'bad_argument');
      assert.match(error.message, /^There is nothing to do: send at least one of \w+/);
      assert.equal(error.field, undefined);
    });
  }

  const refused: [ActionName, object, string][] = [
    ['show', { color: 'red' }, 'color'],
    ['show', { clear: false }, ''],
    ['show', { clear: true, text: 'a' }, 'clear'],
    ['show', { clear: true, color: 'red' }, 'clear'],
    ['show', { clear: false, color: 'red' }, 'color'],
    ['move', { gesture: 'nod', yaw: 1 }, 'gesture'],
    ['move', { gesture: 'nod', pitch: 10 }, 'gesture'],
    ['sound', { chime: 'yes', notes: 'C4:100' }, 'chime'],
    ['sound', { chime: 'yes', bell: true }, 'bell'],
    ['sound', { volume: 3, bell: true }, 'bell'],
    ['sound', { bell: true }, 'bell'],
    ['sound', { bell: false }, ''],
    ['leds', { off: false }, ''],
  ];
  for (const [name, args, field] of refused) {
    it(`${name} rejects ${JSON.stringify(args)}`, () => {
      const error = refusal(() => validateArgs(name, args));
      assert.equal(error.code, 'bad_argument');
      assert.equal(error.field ?? '', field);
    });
  }

  const accepted: [ActionName, object, object][] = [
    ['show', { background: 'red' }, { background: 'red' }],
    ['show', { background: 'red', color: 'blue' }, { background: 'red', color: 'blue' }],
    ['show', { clear: true }, { clear: true }],
    ['show', { clear: false, text: '' }, { text: '' }],
    ['show', { progress: 0 }, { progress: 0 }],
    ['show', { image: 'abcd', text: 'a', background: 'white' }, { image: 'abcd', text: 'a', background: 'white' }],
    ['say', { text: 'a' }, { text: 'a', seconds: 6 }],
    ['move', { yaw: 0 }, { yaw: 0 }],
    ['move', { yaw: 1, pitch: 2 }, { yaw: 1, pitch: 2 }],
    ['sound', { volume: 0 }, { volume: 0 }],
    ['sound', { notes: 'C4:100', bell: true, volume: 3 }, { notes: 'C4:100', bell: true, volume: 3 }],
    ['sound', { chime: 'yes', bell: false }, { chime: 'yes', bell: false }],
    ['ask', { question: 'q', answers: ['a', 'a'] }, { question: 'q', answers: ['a', 'a'], timeout_s: 30 }],
    ['menu', { items: ['a', { id: 'b', label: 'c' }] }, { items: ['a', { id: 'b', label: 'c' }], timeout_s: 30 }],
    ['command', { command: 'blink' }, { command: 'blink', args: {} }],
    ['state', { anything: [1] }, {}],
    ['events', { anything: [1] }, { after: 0, seconds: 0 }],
    ['leds', { off: false, color: 'red' }, { color: 'red', speed: 1, seconds: 0 }],
    ['leds', { off: true }, { off: true, speed: 1, seconds: 0 }],
  ];
  for (const [name, args, valid] of accepted) {
    it(`${name} accepts ${JSON.stringify(args)}`, () => assert.deepEqual(validateArgs(name, args), valid));
  }

  it('accepts exactly the combinations of leds arguments in the README, out of all 128', () => {
    const values = { color: 'red', bar: 0.5, pixels: colors12, effect: 'blink', speed: 2, seconds: 3, off: true };
    const names = Object.keys(values) as (keyof typeof values)[];
    const taken: string[] = [];
    for (let bits = 0; bits < 128; bits++) {
      const chosen = names.filter((_, index) => (bits & (1 << index)) !== 0);
      const args = Object.fromEntries(chosen.map((name) => [name, values[name]]));
      try {
        validateArgs('leds', args);
        taken.push(chosen.join(' '));
      } catch (error) {
        assert.ok((error as Error).message.length > 0);
      }
    }
    const alone = ['color', 'bar', 'color bar', 'pixels', 'off', 'effect', 'color effect', 'effect seconds', 'color effect seconds'];
    const withSpeed = [
      'color speed',
      'bar speed',
      'color bar speed',
      'pixels speed',
      'speed off',
      'effect speed',
      'color effect speed',
      'effect speed seconds',
      'color effect speed seconds',
    ];
    assert.deepEqual(taken.sort(), [...alone, ...withSpeed].sort());
  });

  it('stops an LED effect with effect off, which takes no colour', () => {
    validateArgs('leds', { effect: 'off' });
    assert.equal(refusal(() => validateArgs('leds', { effect: 'off', color: 'red' })).field, 'color');
  });

  it('fills in a new copy of a default for each call', () => {
    assert.notEqual(validateArgs('command', { command: 'a' }).args, validateArgs('command', { command: 'a' }).args);
  });

  it('does not modify the body', () => {
    const sent = Object.freeze({ text: 'a', clear: false });
    validateArgs('show', sent);
    assert.deepEqual(sent, { text: 'a', clear: false });
  });

  it('rejects excluded commands without looking up the robot', () => {
    for (const command of ['app_start', 'restart', 'Restart', 'wifi-scan', 'camera.on', 'mic_stream']) {
      assert.equal(refusal(() => validateArgs('command', { command })).code, 'command_not_passed_on');
    }
  });
});

describe('the query of the events read', () => {
  it('reads numbers and comma-separated names', () => {
    assert.deepEqual(validateEventsQuery({ after: '7', seconds: '2.5', names: 'tap, pat' }), { after: 7, seconds: 2.5, names: ['tap', 'pat'] });
  });

  it('accepts repeated names, and none', () => {
    assert.deepEqual(validateEventsQuery({ names: ['tap', 'pat,pet'] }).names, ['tap', 'pat', 'pet']);
    assert.deepEqual(validateEventsQuery({}), { after: 0, seconds: 0 });
  });

  it('ignores unknown parameters', () => {
    assert.deepEqual(validateEventsQuery({ foo: 'bar' }), { after: 0, seconds: 0 });
  });

  for (const after of ['', 'NaN', 'abc', '1e3', '0x10', ' 1', '-1', '1.5', ['1', '2'], { a: '1' }]) {
    it(`rejects after=${JSON.stringify(after)}`, () => assert.equal(refusal(() => validateEventsQuery({ after })).field, 'after'));
  }

  it('rejects more than 60 seconds, and unknown names', () => {
    assert.equal(refusal(() => validateEventsQuery({ seconds: '61' })).message, 'seconds: at most 60');
    assert.equal(refusal(() => validateEventsQuery({ names: 'tap,poke' })).field, 'names[1]');
    assert.equal(refusal(() => validateEventsQuery({ names: { a: 'tap' } })).field, 'names');
  });

  it('treats empty names as absent, in both forms', () => {
    assert.deepEqual(validateArgs('events', { names: [] }), { after: 0, seconds: 0 });
    assert.deepEqual(validateEventsQuery({ names: '' }), { after: 0, seconds: 0 });
    assert.deepEqual(validateEventsQuery({ names: ',' }), { after: 0, seconds: 0 });
  });
});

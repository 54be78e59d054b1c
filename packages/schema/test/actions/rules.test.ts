import assert from 'node:assert/strict';
import { askTimeoutS, validateArgs, validateEventsQuery, validateScene, type ActionName } from '../../src/index.js';
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
    ['show', { lang: 'ja' }, 'lang'],
    ['show', { clear: true, lang: 'ja' }, 'clear'],
    ['show', { text: 'x', lang: 'Japanese language' }, 'lang'],
    ['ask', { question: 'x', answers: ['a', 'b'], lang: 'zh_TW' }, 'lang'],
    ['ask', { question: 'x', answers: ['a', 'b'], overflow: 'scroll' }, 'overflow'],
    ['show', { align: 'left' }, 'align'],
    ['show', { text: 'x', align: 'start' }, 'align'],
    ['show', { mono: true }, 'mono'],
    ['show', { mono: false }, ''],
    ['show', { clear: true, mono: true }, 'clear'],
    ['show', { format: 'markdown' }, 'format'],
    ['show', { text: 'x', format: 'html' }, 'format'],
    ['show', { text: 'x', format: 'markdown', mono: true }, 'mono'],
    ['show', { overflow: 'pages' }, 'overflow'],
    ['show', { clear: true, overflow: 'cut' }, 'clear'],
    ['show', { text: 'x', overflow: true }, 'overflow'],
    ['show', { text: 'x', overflow: 'pages', format: 'markdown' }, 'overflow'],
    ['show', { icon: 'no-such-icon' }, 'icon'],
    ['show', { qr: 'x', progress: 0.5 }, 'qr'],
    ['show', { qr: 'a\ud800' }, 'qr'],
    ['show', { qr: 'x', sparkline: [1, 2] }, 'qr'],
    ['show', { qr: 'x'.repeat(332) }, 'qr'],
    ['show', { qr: 'é'.repeat(166) }, 'qr'],
    ['show', { qr: 'x'.repeat(107), title: 'x' }, 'qr'],
    ['show', { sparkline: [null, null] }, 'sparkline'],
    ['show', { sparkline: [1] }, 'sparkline'],
    ['show', { sparkline: [1, '2'] }, 'sparkline[1]'],
    ['show', { sparkline: Array.from({ length: 301 }, () => 1) }, 'sparkline'],
    ['show', { countdown: {} }, 'countdown'],
    ['show', { countdown: { done: 'x' } }, 'countdown'],
    ['show', { countdown: { seconds: 0 } }, 'countdown.seconds'],
    ['show', { countdown: { seconds: 86_401 } }, 'countdown.seconds'],
    ['show', { countdown: { seconds: 10, until: '2026-12-31T23:59:00Z' } }, 'countdown.until'],
    ['show', { countdown: { until: '2026-12-31' } }, 'countdown.until'],
    ['show', { countdown: { until: '2026-12-31T23:59:00' } }, 'countdown.until'],
    ['show', { countdown: { until: '2026-02-29T23:59:00Z' } }, 'countdown.until'],
    ['show', { countdown: { until: '2026-12-31T25:00:00Z' } }, 'countdown.until'],
    ['show', { countdown: { seconds: 10, done: '\u200b' } }, 'countdown.done'],
    ['show', { countdown: { seconds: 10 }, sparkline: [1, 2] }, 'countdown'],
    ['show', { countdown: { seconds: 10 }, qr: 'x' }, 'qr'],
    ['show', { countdown: { seconds: 10 }, text: 'x', overflow: 'pages' }, 'overflow'],
    ['show', { countdown: { seconds: 10 }, clear: true }, 'clear'],
    ['show', { clear: true, icon: 'check' }, 'clear'],
    ['ask', { question: 'x', answers: ['a', 'b'], icons: ['check', 'no-such-icon'] }, 'icons[1]'],
    ['ask', { question: 'x', answers: ['a', 'b'], icons: ['check', '', ''] }, 'icons'],
    ['menu', { items: ['a', { icon: 'no-such-icon' }] }, 'items[1].icon'],
    ['menu', { items: ['a', { icon: 'check', image: 'abcd' }] }, 'items[1].icon'],
    ['show', { clear: false }, ''],
    ['show', { text: '', title: 'x' }, 'text'],
    ['show', { title: '' }, 'title'],
    ['show', { note: ' ', color: 'red' }, 'note'],
    ['say', { text: '\u200b' }, 'text'],
    ['ask', { question: '\u0301', answers: ['a', 'b'] }, 'question'],
    ['ask', { question: 'x', answers: ['a', '\n'] }, 'answers[1]'],
    ['menu', { items: ['a', '\u2800'] }, 'items[1]'],
    ['menu', { items: ['a', { label: ' ', image: 'x' }] }, 'items[1].label'],
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
    ['ask', { question: 'q', answers: ['a', 'b'], deny: 2 }, 'deny'],
    ['ask', { question: 'q', answers: ['no', 'no'], deny: 0, whole: true }, 'deny'],
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
    ['show', { clear: false, text: '.' }, { text: '.' }],
    ['show', { text: 'x', title: '', note: ' ' }, { text: 'x', title: '', note: ' ' }],
    ['show', { title: '', progress: 0 }, { title: '', progress: 0 }],
    ['ask', { question: 'q', answers: ['a', 'b'], whole: true }, { question: 'q', answers: ['a', 'b'], whole: true }],
    ['ask', { question: 'q', answers: ['a', 'b'], overflow: 'pages' }, { question: 'q', answers: ['a', 'b'], overflow: 'pages' }],
    ['ask', { question: 'q', answers: ['a', 'b'], deny: 0 }, { question: 'q', answers: ['a', 'b'], deny: 0 }],
    ['ask', { question: 'q', answers: ['a', 'b'], whole: false }, { question: 'q', answers: ['a', 'b'] }],
    ['show', { progress: 0 }, { progress: 0 }],
    ['show', { icon: 'cloud-sun' }, { icon: 'cloud-sun' }],
    ['show', { text: 'x', format: 'markdown', mono: false }, { text: 'x', format: 'markdown' }],
    ['show', { qr: 'x'.repeat(331) }, { qr: 'x'.repeat(331) }],
    ['show', { qr: 'é'.repeat(53), note: 'x' }, { qr: 'é'.repeat(53), note: 'x' }],
    ['show', { sparkline: [1, null] }, { sparkline: [1, null] }],
    ['show', { countdown: { seconds: 10, done: 'x' } }, { countdown: { seconds: 10, done: 'x' } }],
    ['show', { countdown: { until: '2028-02-29T24:00+00:00' } }, { countdown: { until: '2028-02-29T24:00+00:00' } }],
    ['show', { text: 'x', align: 'left', mono: true }, { text: 'x', align: 'left', mono: true }],
    ['show', { text: 'x', mono: false }, { text: 'x' }],
    ['show', { text: 'x', overflow: 'pages', mono: true }, { text: 'x', overflow: 'pages', mono: true }],
    ['ask', { question: 'q', answers: ['a', 'b'], icons: ['', 'x'] }, { question: 'q', answers: ['a', 'b'], icons: ['', 'x'] }],
    ['menu', { items: [{ icon: 'x' }, { icon: 'check', label: 'c' }] }, { items: [{ icon: 'x' }, { icon: 'check', label: 'c' }], timeout_s: 30 }],
    ['show', { image: 'abcd', text: 'a', background: 'white' }, { image: 'abcd', text: 'a', background: 'white' }],
    ['say', { text: 'a' }, { text: 'a', seconds: 6 }],
    ['move', { yaw: 0 }, { yaw: 0 }],
    ['move', { yaw: 1, pitch: 2 }, { yaw: 1, pitch: 2 }],
    ['sound', { volume: 0 }, { volume: 0 }],
    ['sound', { notes: 'C4:100', bell: true, volume: 3 }, { notes: 'C4:100', bell: true, volume: 3 }],
    ['sound', { chime: 'yes', bell: false }, { chime: 'yes', bell: false }],
    ['ask', { question: 'q', answers: ['a', 'a'] }, { question: 'q', answers: ['a', 'a'] }],
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

  it('accepts exactly the combinations of leds arguments in the README, out of all 256', () => {
    const values = { color: 'red', bar: 0.5, pixels: colors12, effect: 'blink', speed: 2, seconds: 3, off: true, brightness: 0.5 };
    const names = Object.keys(values) as (keyof typeof values)[];
    const taken: string[] = [];
    for (let bits = 0; bits < 256; bits++) {
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
    const dimmed = [...alone, ...withSpeed].filter((names) => !names.includes('off')).map((names) => `${names} brightness`);
    assert.deepEqual(taken.sort(), [...alone, ...withSpeed, ...dimmed].sort());
  });

  it('stops an LED effect with effect off, which takes no colour', () => {
    validateArgs('leds', { effect: 'off' });
    assert.equal(refusal(() => validateArgs('leds', { effect: 'off', color: 'red' })).field, 'color');
    assert.equal(refusal(() => validateArgs('leds', { effect: 'off', brightness: 0.5 })).field, 'brightness');
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

describe('the default time of a question', () => {
  const question = { question: 'x', answers: ['a', 'b'] };
  const pages = { ...question, whole: true, overflow: 'pages' };

  it('is left to the pages if all of them must be read, and otherwise 30 s', () => {
    const times = [question, { ...question, whole: true }, { ...question, overflow: 'pages' }, pages, { ...pages, timeout_s: 7 }];
    assert.deepEqual(
      times.map((args) => askTimeoutS(validateArgs('ask', args))),
      [30, 30, 30, 120, 7],
    );
  });

  it('is 30 s in a scene with times, which has no room for more', () => {
    const timeIn = (atMs?: number): number | undefined => {
      const last = validateScene({
        actions: [
          { action: 'face', emotion: 'happy', at_ms: atMs },
          { action: 'ask', ...pages },
        ],
      }).at(-1)!;
      return last.action === 'ask' ? last.args.timeout_s : assert.fail(last.action);
    };
    assert.deepEqual([timeIn(20_000), timeIn()], [30, undefined]);
    const late = {
      actions: [
        { action: 'face', emotion: 'happy', at_ms: 29_000 },
        { action: 'ask', ...question, timeout_s: 100 },
      ],
    };
    assert.equal(refusal(() => validateScene(late)).field, 'actions[1].timeout_s');
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

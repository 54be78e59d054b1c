import assert from 'node:assert/strict';
import { validateArgs, type ActionName } from '../../src/index.js';
import { refusal } from '../refusal.js';

const texts = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const regions = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `${index}`, circle: [0, 0, 1] }));
const points = (count: number) => ({ regions: [{ id: 'a', polygon: Array.from({ length: count }, (_, index) => [index, index * index]) }] });
const rect = (...numbers: number[]) => ({ regions: [{ id: 'a', rect: numbers }] });
const circle = (...numbers: number[]) => ({ regions: [{ id: 'a', circle: numbers }] });
const asking = (more: object) => ({ question: 'q', answers: ['a', 'b'], ...more });
const choosing = (more: object) => ({ items: ['a', 'b'], ...more });
const tapping = (more: object) => ({ regions: regions(1), ...more });

/** [action, arguments just inside a bound, arguments just outside, path and rule in the error] */
const bounds: [ActionName, unknown, unknown, string][] = [
  ['show', { progress: 0 }, { progress: -0.001 }, 'progress: at least 0'],
  ['show', { progress: 1 }, { progress: 1.001 }, 'progress: at most 1'],
  ['show', { image: 'A'.repeat(1_600_000) }, { image: 'A'.repeat(1_600_001) }, 'image: at most 1600000 characters'],
  ['show', { text: 'a', color: '#12abEF' }, { text: 'a', color: '#12abE' }, 'color: "#12abE" is not a colour'],
  ['show', { background: 'pink' }, { background: 'blurple' }, 'background: "blurple" is not a colour'],
  ['say', { text: 'a' }, { text: '' }, 'text: at least 1 character'],
  ['say', { text: '🤖'.repeat(80) }, { text: 'a'.repeat(81) }, 'text: at most 80 characters'],
  ['say', { text: 'a', seconds: 0.01 }, { text: 'a', seconds: 0 }, 'seconds: must be above 0'],
  ['say', { text: 'a', seconds: 30 }, { text: 'a', seconds: 30.01 }, 'seconds: at most 30'],
  ['face', { emotion: 'sleepy' }, { emotion: 'glad' }, 'emotion: "glad" is not one of neutral, happy, angry, sad, doubt, sleepy'],
  ['face', { view: 'readings' }, { view: 'back' }, 'view: "back" is not one of face, readings'],
  ['move', { yaw: -128 }, { yaw: -128.1 }, 'yaw: at least -128'],
  ['move', { yaw: 128 }, { yaw: 128.1 }, 'yaw: at most 128'],
  ['move', { gesture: 'home' }, { gesture: 'Home' }, 'gesture: "Home" is not one of nod, shake, home'],
  ['leds', { bar: 0 }, { bar: -0.1 }, 'bar: at least 0'],
  ['leds', { bar: 1 }, { bar: 1.1 }, 'bar: at most 1'],
  ['leds', { pixels: Array(12).fill('red') }, { pixels: Array(11).fill('red') }, 'pixels: exactly 12 colours'],
  ['leds', { pixels: Array(12).fill('#000000') }, { pixels: Array(13).fill('#000000') }, 'pixels: exactly 12 colours'],
  ['leds', { color: 'red', brightness: 0 }, { color: 'red', brightness: -0.1 }, 'brightness: at least 0'],
  ['leds', { bar: 1, brightness: 1 }, { bar: 1, brightness: 1.1 }, 'brightness: at most 1'],
  ['leds', { effect: 'chase', speed: 0.2 }, { effect: 'chase', speed: 0.19 }, 'speed: at least 0.2'],
  ['leds', { effect: 'chase', speed: 5 }, { effect: 'chase', speed: 5.1 }, 'speed: at most 5'],
  ['leds', { effect: 'chase', seconds: 0 }, { effect: 'chase', seconds: -0.1 }, 'seconds: at least 0'],
  ['sound', { volume: 0 }, { volume: -1 }, 'volume: at least 0'],
  ['sound', { volume: 100 }, { volume: 100.5 }, 'volume: at most 100'],
  ['sound', { chime: 'break_over' }, { chime: 'bing' }, 'chime: "bing" is not one of'],
  ['ask', asking({ answers: texts(2) }), asking({ answers: texts(1) }), 'answers: at least 2 entries'],
  ['ask', asking({ answers: texts(4) }), asking({ answers: texts(5) }), 'answers: at most 4 entries'],
  ['ask', asking({ timeout_s: 0.1 }), asking({ timeout_s: 0 }), 'timeout_s: must be above 0'],
  ['ask', asking({ timeout_s: 120 }), asking({ timeout_s: 120.5 }), 'timeout_s: at most 120'],
  ['ask', asking({ question: '?' }), asking({ question: '' }), 'question: at least 1 character'],
  ['menu', choosing({ items: texts(2) }), choosing({ items: texts(1) }), 'items: at least 2 entries'],
  ['menu', choosing({ items: texts(6) }), choosing({ items: texts(7) }), 'items: at most 6 entries'],
  ['menu', choosing({ timeout_s: 120 }), choosing({ timeout_s: 121 }), 'timeout_s: at most 120'],
  ['menu', choosing({ items: ['a', { label: 'b' }] }), choosing({ items: ['a', { id: 'b' }] }), 'items[1]: needs a label, an image or an icon'],
  ['menu', choosing({ items: ['a', { image: 'x' }] }), choosing({ items: ['a', {}] }), 'items[1]: needs a label, an image or an icon'],
  [
    'menu',
    choosing({ items: ['a', { image: 'A'.repeat(1_600_000) }] }),
    choosing({ items: ['a', { image: 'A'.repeat(1_600_001) }] }),
    'items[1].image: at most 1600000 characters',
  ],
  ['clickmap', { regions: regions(1) }, { regions: [] }, 'regions: at least 1 entry'],
  ['clickmap', { regions: regions(32) }, { regions: regions(33) }, 'regions: at most 32 entries'],
  ['clickmap', points(3), points(2), 'regions[0].polygon: at least 3 points'],
  ['clickmap', points(32), points(33), 'regions[0].polygon: at most 32 points'],
  ['clickmap', rect(-5.5, 400, 0.1, 0.1), rect(0, 0, 0, 1), 'regions[0].rect[2]: w must be above 0'],
  ['clickmap', rect(0, 0, 1, 1), rect(0, 0, 1, 0), 'regions[0].rect[3]: h must be above 0'],
  ['clickmap', rect(0, 0, 1, 1), rect(0, 0, 1), 'regions[0].rect: exactly 4 numbers'],
  ['clickmap', circle(-1, 999.5, 0.1), circle(0, 0, -1), 'regions[0].circle[2]: r must be above 0'],
  ['clickmap', circle(0, 0, 1), circle(0, 0, 1, 1), 'regions[0].circle: exactly 3 numbers'],
  ['clickmap', tapping({ timeout_s: 120 }), tapping({ timeout_s: 120.1 }), 'timeout_s: at most 120'],
  ['command', { command: 'a'.repeat(64) }, { command: 'a'.repeat(65) }, 'command: at most 64 characters'],
  ['command', { command: 'a', args: nested(15) }, { command: 'a', args: nested(16) }, 'args: at most 16 levels of nesting'],
  [
    'command',
    { command: 'a', args: { list: Array(1999).fill(0) } },
    { command: 'a', args: { list: Array(2000).fill(0) } },
    'args: at most 2000 values',
  ],
  ['events', { after: 0 }, { after: -1 }, 'after: at least 0'],
  ['events', { after: 7 }, { after: 7.5 }, 'after: must be a whole number, not 7.5'],
  ['events', { after: Number.MAX_SAFE_INTEGER }, { after: 1e300 }, 'after: at most'],
  ['events', { seconds: 0 }, { seconds: -0.1 }, 'seconds: at least 0'],
  ['events', { seconds: 60 }, { seconds: 60.1 }, 'seconds: at most 60'],
  ['events', { names: ['tap', 'connected'] }, { names: ['tap', 'tapp'] }, 'names[1]: "tapp" is not one of tap, long_press'],
];

function nested(levels: number): Record<string, unknown> {
  return levels === 0 ? {} : { deeper: nested(levels - 1) };
}

describe('bounds of arguments', () => {
  for (const [name, inside, outside, rule] of bounds) {
    it(`${name} ${rule}`, () => {
      validateArgs(name, inside);
      const error = refusal(() => validateArgs(name, outside));
      assert.equal(error.status, 400);
      assert.ok(error.message.startsWith(rule), error.message);
      assert.equal(error.field, rule.slice(0, rule.indexOf(':')));
    });
  }

  it('accepts any pitch, because the robot clamps it', () => {
    for (const pitch of [-1000, 4, 86, 1e9]) assert.deepEqual(validateArgs('move', { pitch }), { pitch });
  });

  it('rejects a number that JSON.parse turns into infinity', () => {
    assert.equal(refusal(() => validateArgs('move', JSON.parse('{"pitch":1e999}'))).field, 'pitch');
  });

  it('counts characters as code points', () => {
    assert.equal(validateArgs('say', { text: '👩'.repeat(80) }).text.length, 160);
    assert.equal(refusal(() => validateArgs('say', { text: '👩'.repeat(81) })).field, 'text');
  });

  it('counts the characters of a picture without data: prefix and white space', () => {
    const text = `data:image/png;base64,${'A'.repeat(800_000)}\r\n ${'A'.repeat(800_000)}\n`;
    assert.equal(validateArgs('show', { image: text }).image, text);
    assert.equal(refusal(() => validateArgs('show', { image: `${text}A` })).code, 'bad_picture');
  });
});

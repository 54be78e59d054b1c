import assert from 'node:assert/strict';
import { actions, validateArgs, type ActionName } from '../../src/index.js';
import { refusal } from '../refusal.js';

const strict = actions.map(({ name }) => name).filter((name) => name !== 'state' && name !== 'events');
const required: Partial<Record<ActionName, string>> = {
  say: '"text":"a"',
  speak: '"text":"a"',
  ask: '"question":"q","answers":["a","b"]',
  menu: '"items":["a","b"]',
  clickmap: '"regions":[{"id":"a","circle":[0,0,1]}]',
  command: '"command":"a"',
};

describe('hostile bodies', () => {
  for (const { name } of actions) {
    it(`${name} rejects null, lists, text and no body with "send {}"`, () => {
      for (const body of [null, undefined, [], [{}], '', 'a', 0, true]) {
        const error = refusal(() => validateArgs(name, body));
        assert.equal(error.code, 'bad_argument');
        assert.match(error.message, /send \{\}/);
      }
    });
  }

  for (const name of strict) {
    it(`${name} rejects unknown properties, including those of Object.prototype, and names them`, () => {
      for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'foo', '']) {
        const rest = required[name] === undefined ? '' : `,${required[name]}`;
        const error = refusal(() => validateArgs(name, JSON.parse(`{${JSON.stringify(key)}:1${rest}}`)));
        assert.equal(error.field, key === '' ? '""' : key, error.message);
        assert.match(error.message, /^\S+: /);
        assert.match(error.message, /is not an argument of|arguments are wrong/);
      }
    });
  }

  for (const name of ['state', 'events'] as const) {
    it(`${name} ignores unknown properties and passes none on`, () => {
      const args = validateArgs(name, JSON.parse('{"__proto__":{"after":9},"constructor":1,"foo":2}'));
      assert.ok(Object.keys(args).every((key) => key === 'after' || key === 'seconds'));
      assert.equal(Object.getPrototypeOf(args), Object.prototype);
      assert.equal((args as { after?: number }).after ?? 0, 0);
    });
  }

  it('rejects an object 100 levels deep, at any place, without deep recursion', () => {
    const deep = JSON.parse('{"a":'.repeat(100) + '1' + '}'.repeat(100)) as unknown;
    assert.equal(refusal(() => validateArgs('show', { text: deep })).field, 'text');
    assert.equal(refusal(() => validateArgs('show', deep)).field, 'a');
    assert.equal(refusal(() => validateArgs('command', { command: 'a', args: deep })).field, 'args');
    assert.equal(refusal(() => validateArgs('ask', { question: 'q', answers: [deep, deep] })).field, 'answers[0]');
    const deepest = JSON.parse('{"a":'.repeat(200_000) + '1' + '}'.repeat(200_000)) as Record<string, unknown>;
    assert.equal(refusal(() => validateArgs('command', { command: 'a', args: deepest })).field, 'args');
  });

  it('rejects lists of 300,000 entries quickly', () => {
    const many = Array(300_000).fill('red') as unknown[];
    const before = process.cpuUsage();
    assert.equal(refusal(() => validateArgs('ask', { question: 'q', answers: many })).field, 'answers');
    assert.equal(refusal(() => validateArgs('menu', { items: many })).field, 'items');
    assert.equal(refusal(() => validateArgs('leds', { pixels: many })).field, 'pixels');
    assert.equal(refusal(() => validateArgs('clickmap', { regions: many })).field, 'regions');
    assert.equal(refusal(() => validateArgs('clickmap', { regions: [{ id: 'a', polygon: many }] })).field, 'regions[0].polygon');
    assert.equal(refusal(() => validateArgs('command', { command: 'a', args: { many } })).field, 'args');
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1000 < 2000, `${(user + system) / 1000} ms`);
  });

  it('quotes only a little of what was sent', () => {
    const long = 'x'.repeat(100_000);
    for (const call of [
      () => validateArgs('face', { emotion: long }),
      () => validateArgs('leds', { color: long }),
      () => validateArgs('face', { [long]: 1 }),
      () => validateArgs('events', { names: [long] }),
      () => validateArgs('menu', { items: ['a', { [long]: 1 }] }),
      () => validateArgs('clickmap', { regions: [{ id: 'a', [long]: 1 }] }),
    ]) {
      const error = refusal(call);
      assert.ok(error.message.length < 400, `${error.message.length}`);
      assert.ok((error.field ?? '').length < 100);
    }
  });
});

describe('messages of errors', () => {
  const wrong: [ActionName, unknown, string][] = [
    ['say', {}, 'text: is required but missing'],
    ['say', { text: 5 }, 'text: must be a string, not a number'],
    ['say', { text: null }, 'text: must be a string, not null'],
    ['say', { text: 'a', seconds: '4' }, 'seconds: must be a number, not a string'],
    ['say', { text: 'a', second: 4 }, 'second: is not an argument of say; it takes text, seconds, lang'],
    ['show', { clear: 'yes' }, 'clear: must be true or false, not a string'],
    ['ask', { question: 'q', answers: 'a,b' }, 'answers: must be a list, not a string'],
    ['ask', { question: 'q', answers: ['a', 2] }, 'answers[1]: must be a string, not a number'],
    ['menu', { items: ['a', 2] }, 'items[1]: must be a string or an object, not a number'],
    ['menu', { items: ['a', ''] }, 'items[1]: at least 1 character'],
    ['menu', { items: ['a', { label: '' }] }, 'items[1].label: at least 1 character'],
    ['menu', { items: ['a', { lable: 'b' }] }, 'items[1].lable: is unknown; it takes id, label, image, icon'],
    ['show', { icon: 'chek' }, 'icon: "chek" is not an icon; did you mean check? GET /v1/icons lists all'],
    ['menu', { items: ['a', { icon: '' }] }, 'items[1].icon: at least 1 character'],
    ['clickmap', { regions: [{ id: 'a' }] }, 'regions[0]: needs a shape: one of rect, circle or polygon'],
    ['clickmap', { regions: [{}] }, 'regions[0].id: is required but missing'],
    ['clickmap', { regions: [{ rect: [0, 0, 1, 1], circle: [0, 0, 1] }] }, 'regions[0].id: is required but missing'],
    ['clickmap', { regions: [{ id: 'a', rect: [0, 0, 1, 1], circle: [0, 0, 1] }] }, 'regions[0]: takes exactly one shape, not rect and circle'],
    ['clickmap', { regions: [{ id: 'a', oval: [0, 0, 1] }] }, 'regions[0].oval: is unknown; it takes id, rect, circle, polygon'],
    ['clickmap', { regions: [{ id: 'a', polygon: [[0, 0], [1], [2, 2]] }] }, 'regions[0].polygon[1]: exactly 2 numbers: [x, y]'],
    ['clickmap', { regions: [{ id: 'a', rect: [0, 0, '1', 1] }] }, 'regions[0].rect[2]: must be a number, not a string'],
    ['command', { command: 'a', args: [] }, 'args: must be an object, not a list'],
    [
      'leds',
      { pixels: [...Array<string>(11).fill('red'), 'blurple'] },
      'pixels[11]: "blurple" is not a colour; write #rrggbb or one of red, orange, yellow, green, cyan, blue, purple, pink, white',
    ],
  ];
  for (const [name, body, message] of wrong) {
    it(`${name}: ${message}`, () => assert.equal(refusal(() => validateArgs(name, body)).message, message));
  }
});

import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { jsonText } from '../src/generate/json.js';
import { basesOf, mutantsOf } from '../src/generate/mutants.js';
import { atBounds, probesOf, sampleOf, type Schema } from '../src/generate/probes.js';
import { verdictOf } from '../src/verdicts.js';
import { action, actions } from './actions.js';

const ajv = new Ajv2020({ strict: false, strictNumbers: true, validateFormats: false });

function values(schema: Schema): unknown[] {
  return atBounds(schema).map(({ value }) => value);
}

describe('values generated for a schema', () => {
  it('generated values include a number at each bound, the nearest inside and outside, and one off', () => {
    const schema = { type: 'number', exclusiveMinimum: 0, maximum: 30 };
    const fits = ajv.compile(schema);
    const numbers = values(schema).filter((value) => typeof value === 'number');
    for (const bound of [0, 30, 29, 31, -1]) assert.ok(numbers.includes(bound), String(bound));
    assert.ok(numbers.some((value) => value > 0 && value < 1e-9 && fits(value)));
    assert.ok(numbers.some((value) => value < 30 && 30 - value < 1e-9 && fits(value)));
    assert.ok(numbers.some((value) => value > 30 && value - 30 < 1e-9 && !fits(value)));
    assert.equal(fits(0), false);
  });

  it('generated values include texts one character shorter, equal and longer than allowed, in characters of every width', () => {
    const texts = values({ type: 'string', minLength: 1, maxLength: 80 }).filter((value) => typeof value === 'string');
    for (const length of [0, 1, 2, 79, 80, 81]) {
      for (const character of ['x', '🤖', '\u0301']) assert.ok(texts.includes(character.repeat(length)), `${length} ${character}`);
    }
  });

  it('generated values include lists one entry shorter, equal and longer than allowed', () => {
    const lengths = values({ type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 4 })
      .filter(Array.isArray)
      .map((list) => list.length);
    for (const length of [1, 2, 3, 4, 5]) assert.ok(lengths.includes(length), String(length));
  });

  it('generated values include a valid and an invalid one for every argument of every action', () => {
    for (const { name, args } of actions) {
      for (const [argument, schema] of Object.entries(args.properties ?? {})) {
        const fits = ajv.compile(schema);
        assert.ok(fits(sampleOf(schema)), `${name}.${argument}: ${JSON.stringify(sampleOf(schema))}`);
        const verdicts = probesOf(schema).map(({ value }) => fits(JSON.parse(jsonText(value))));
        assert.ok(verdicts.includes(true) && verdicts.includes(false), `${name}.${argument}`);
      }
    }
  });
});

describe('bodies with one change', () => {
  it('bodies with one change start from valid bodies, and differ from them', () => {
    for (const served of actions) {
      for (const base of served.examples) {
        assert.ok(served.fits(base), `${served.name} ${JSON.stringify(base)}`);
        const text = jsonText(base);
        const mutants = mutantsOf(served.args, base).map(({ change }) => jsonText(change(base)));
        assert.ok(mutants.length > 20, served.name);
        assert.ok(mutants.filter((mutant) => mutant !== text).length > mutants.length * 0.8, served.name);
        assert.equal(jsonText(base), text, 'the base itself stays');
      }
    }
  });

  it('bodies with one change also change lists and nested objects, and include values that JSON.stringify would lose', () => {
    const { args, examples } = action('clickmap');
    const [base] = basesOf(args, examples);
    const texts = mutantsOf(args, base!).map(({ change }) => jsonText(change(base)));
    for (const part of ['"__proto__":1', '1e400', ':-0', '"rect":[0,0,160]'])
      assert.ok(
        texts.some((text) => text.includes(part)),
        part,
      );
    assert.ok(
      texts.every((text) => typeof JSON.parse(text) !== 'undefined'),
      'all of them are JSON',
    );
  });
});

describe('the expected result of a body', () => {
  const own = new Map([['brightness', () => true]]);
  const kind = (name: string, body: unknown) => verdictOf(action(name), JSON.stringify(body), own);

  it('follows the schema, naming every argument that may be at fault', () => {
    assert.deepEqual(kind('say', { text: '', seconds: 31 }), {
      kind: 'refused',
      codes: ['bad_argument', 'bad_picture'],
      fields: ['text', 'seconds'],
    });
    assert.deepEqual(kind('show', { size: 1 }), { kind: 'refused', codes: ['bad_argument', 'bad_picture'], fields: ['size'] });
    assert.equal(kind('say', { text: 'x'.repeat(80) }).kind, 'taken');
  });

  it('follows the rules between arguments', () => {
    for (const [name, body, field] of [
      ['show', {}, ''],
      ['show', { color: 'red' }, 'color'],
      ['show', { clear: true, text: 'x' }, 'clear'],
      ['show', { text: ' \u200b', title: 'x' }, 'text'],
      ['show', { title: '', note: '\u0301' }, 'note'],
      ['say', { text: '\u0000' }, 'text'],
      ['ask', { question: 'q', answers: ['a', '\u2800'] }, 'answers[1]'],
      ['menu', { items: ['a', { label: '\ufe0f' }] }, 'items[1].label'],
      ['leds', { seconds: 1, color: 'red' }, 'seconds'],
      ['sound', { notes: 'H4:100' }, 'notes'],
      ['sound', { notes: 'C4:30001' }, 'notes'],
      ['menu', { items: ['a', {}] }, 'items[1]'],
      ['clickmap', { regions: [{ id: 'r', rect: [0, 0, 0, 1] }] }, 'regions[0].rect[2]'],
      ['command', { command: 'app_start' }, 'command'],
    ] as const) {
      const verdict = kind(name, body);
      assert.ok(verdict.kind === 'refused' && verdict.fields.includes(field), `${name} ${JSON.stringify(body)}: ${JSON.stringify(verdict)}`);
    }
    for (const [name, body] of [
      ['show', { text: 'x', title: '', clear: false }],
      ['show', { title: '', progress: 1 }],
      ['leds', { off: true, speed: 1 }],
      ['sound', { notes: ' C4:29999 -:1 ', bell: true }],
      ['command', { command: 'brightness' }],
    ] as const) {
      assert.equal(kind(name, body).kind, 'taken', `${name} ${JSON.stringify(body)}`);
    }
  });

  it('includes how long a call may be held open', () => {
    assert.deepEqual(kind('ask', { question: 'q', answers: ['a', 'b'] }), { kind: 'taken', pictures: [], heldMs: 30_000 });
    assert.deepEqual(kind('events', { seconds: 0.5 }), { kind: 'taken', pictures: [], heldMs: 500 });
  });
});

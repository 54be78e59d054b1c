import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { argsObject } from '../../src/definition/action.js';
import { arranged, type ArgumentForm } from '../../src/base/argument-form.js';
import {
  actionByName,
  actions,
  actionsDocument,
  askTimeoutS,
  formDocument,
  interfaceActions,
  openApiDocument,
  validateArgs,
  type Action,
} from '../../src/index.js';

const all = actions as unknown as readonly Action[];
const interfaceOrder = ['show', 'say', 'face', 'move', 'leds', 'sound', 'ask', 'menu', 'clickmap', 'command', 'state', 'events'];
const order = [...interfaceOrder, 'speak'];

describe('the list of actions', () => {
  it('contains exactly the 12 actions of the interface, in order, and speak after them', () => {
    assert.deepEqual(
      interfaceActions.map(({ name }) => name),
      interfaceOrder,
    );
    assert.deepEqual(
      all.map(({ name }) => name),
      order,
    );
    assert.deepEqual([...actionByName.keys()], order);
  });

  it('matches the response of /v1/actions, with arguments and response as JSON Schema', () => {
    const { ok, actions: described } = actionsDocument();
    assert.equal(ok, true);
    assert.deepEqual(
      described.map(({ name, kind }) => [name, kind]),
      [...order.map((name) => [name, 'action']), ['stop', 'compound'], ['scene', 'compound']],
    );
    for (const { name, tool, path, summary, arguments: args, answer } of described) {
      assert.equal(tool, `robot_${name}`);
      assert.equal(path, `/v1/robots/{robot}/${name}`);
      assert.ok(summary.length > 10);
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': true } });
      assert.ok(ajv.validateSchema(args) && ajv.validateSchema(answer));
      ajv.compile(args);
      ajv.compile(answer);
    }
  });

  it('declares the features that an action requires', () => {
    const needs = Object.fromEntries(all.map(({ name, feature }) => [name, feature]));
    assert.deepEqual(needs, {
      show: 'screen',
      say: 'bubble',
      face: 'face',
      move: 'head',
      leds: 'leds',
      sound: 'speaker',
      ask: 'screen',
      menu: 'screen',
      clickmap: 'screen',
      command: null,
      state: null,
      events: null,
      speak: 'speaker',
    });
    for (const { features, waits } of all) assert.equal(features.includes('touch'), waits);
  });
});

describe('the arrangement of arguments', () => {
  type Arranged = Record<string, { 'x-rank'?: number; 'x-group'?: string; 'x-picker'?: string }>;

  for (const { name, arguments: args } of formDocument().actions) {
    const { properties = {}, required = [] } = args as { properties?: Arranged; required?: string[] };
    const ranked = Object.entries(properties).filter(([, schema]) => schema['x-rank'] !== undefined);

    it(`${name} shows its required arguments first, then at most four others, and the rest under headings`, () => {
      assert.deepEqual(Object.keys(properties).slice(0, required.length), required);
      assert.deepEqual(
        ranked.map(([, schema]) => schema['x-rank']),
        ranked.map((_, at) => at + 1),
      );
      assert.ok(ranked.length - required.length <= 4, `${ranked.length} at once`);
      assert.deepEqual(
        Object.keys(properties).slice(0, ranked.length),
        ranked.map(([argument]) => argument),
      );
      for (const [argument, schema] of Object.entries(properties))
        assert.notEqual(schema['x-rank'] === undefined, schema['x-group'] === undefined, argument);
    });
  }

  it('the page alone gets its keywords: validators in strict mode refuse those that they do not know', () => {
    for (const { arguments: args } of actionsDocument().actions) new Ajv2020({ strict: true, formats: { 'date-time': true } }).compile(args);
    const text = JSON.stringify([actionsDocument(), openApiDocument('https://robots.test')]);
    for (const keyword of ['x-rank', 'x-group', 'x-picker']) assert.ok(!text.includes(`"${keyword}"`), keyword);
    assert.ok(text.includes('"examples":["Tea or coffee?"]'));
  });

  it('names the controls that choose a value', () => {
    const pickers = formDocument().actions.flatMap(({ name, arguments: args }) =>
      Object.entries((args as { properties?: Arranged }).properties ?? {}).map(([argument, schema]) => [`${name}.${argument}`, schema['x-picker']]),
    );
    const chosen = Object.fromEntries(pickers.filter(([, picker]) => picker !== undefined));
    assert.deepEqual(
      ['show.icon', 'show.color', 'show.image', 'show.lang', 'sound.chime', 'speak.lang'].map((argument) => chosen[argument]),
      ['icon', 'color', 'picture', 'language', 'chime', 'language'],
    );
  });

  it('does not accept a form that forgets an argument or names one twice', () => {
    const args = argsObject({ text: Type.String(), note: Type.Optional(Type.String()) });
    const define = (form: ArgumentForm) => () => arranged(args, form);
    assert.throws(define({ usual: [] }), /the form has text, the schema text, note/);
    assert.throws(define({ usual: ['note'], more: { Text: ['note'] } }), /note, note, text/);
    define({ usual: ['note'] })();
  });
});

describe('schemas of arguments', () => {
  for (const { name, args } of all) {
    const { properties } = args as { properties: Record<string, { default?: unknown }> };
    it(`${name} has a plain object at the root of its schema, which every MCP client accepts`, () => {
      const schema = args as unknown as Record<string, unknown>;
      assert.equal(schema['type'], 'object');
      for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', '$ref']) assert.ok(!(keyword in schema), keyword);
      assert.ok(properties !== undefined);
    });

    it(`${name} has no array without items, which MCP clients reject`, () => {
      for (const inner of schemasIn(args)) if (inner['type'] === 'array') assert.ok(typeof inner['items'] === 'object', JSON.stringify(inner));
    });

    it(`${name} ${name === 'state' || name === 'events' ? 'accepts' : 'rejects'} unknown properties, as published`, () => {
      assert.equal((args as unknown as Record<string, unknown>)['additionalProperties'], name === 'state' || name === 'events' ? undefined : false);
    });
  }

  it('publishes exactly the defaults that are filled in', () => {
    for (const { name, args, defaults } of all) {
      const published = Object.entries(args.properties)
        .filter(([, schema]) => 'default' in schema)
        .map(([key]) => key);
      // Only the pages of a question say how long it waits by default, where all of them must be read.
      const later = name === 'ask' ? ['timeout_s'] : [];
      assert.deepEqual([...defaults, ...later].sort(), published.sort(), name);
    }
    assert.equal(askTimeoutS({}), (actionByName.get('ask')!.args.properties as { timeout_s?: { default?: unknown } }).timeout_s?.default);
  });

  it('has valid examples of arguments and responses', () => {
    for (const { name, answer, examples } of all) {
      const fits = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': true } }).compile(answer);
      assert.ok(examples.length > 0);
      for (const example of examples) {
        validateArgs(name as 'show', example.args);
        assert.ok(fits(example.answer), `${name}: ${JSON.stringify(fits.errors)}`);
      }
    }
  });
});

describe('answers of waits', () => {
  const keys = { ask: ['answer', 'index'], menu: ['item', 'index', 'label'], clickmap: ['region', 'index', 'x', 'y'] };
  for (const [name, own] of Object.entries(keys)) {
    it(`${name} always returns the same fields, its wait when it goes on, and notes on the picture if there are any`, () => {
      const { answer } = actionByName.get(name)! as unknown as Action;
      const expected = ['ok', 'outcome', 'timed_out', 'replaced', 'robot_away', ...own].sort();
      const notes = name === 'clickmap' ? [] : ['truncated', 'missing', 'adjusted'];
      assert.deepEqual(Object.keys(answer.properties).sort(), [...expected, 'wait', ...(name === 'ask' ? ['queued', 'place'] : []), ...notes].sort());
      assert.deepEqual([...(answer as unknown as { required: string[] }).required].sort(), expected);
    });
  }
});

function schemasIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const at = value as Record<string, unknown>;
  return [...('type' in at ? [at] : []), ...Object.values(at).flatMap(schemasIn)];
}

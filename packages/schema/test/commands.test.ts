import assert from 'node:assert/strict';
import { commandOffered, listedCommands, pictureArguments, validateCommandArgs, type DeclaredCommand } from '../src/index.js';
import { boundedPattern } from '../src/api/commands.js';
import { refusal } from './refusal.js';

function declared(args?: Record<string, unknown>, more: Partial<DeclaredCommand> = {}): DeclaredCommand {
  return { name: 'thing', class: 'program', ...(args === undefined ? {} : { args }), ...more };
}
const brightness = declared({
  type: 'object',
  properties: { pct: { type: 'integer', minimum: 0, maximum: 100 } },
  required: ['pct'],
  additionalProperties: false,
});

describe('commands a robot declares', () => {
  it('offers only commands of class program that are not excluded and whose schema compiles', () => {
    assert.ok(commandOffered(brightness));
    assert.ok(commandOffered(declared()));
    assert.ok(!commandOffered({ ...brightness, class: 'system' }));
    assert.ok(!commandOffered({ ...brightness, class: 'Program' }));
    assert.ok(!commandOffered({ name: 'thing' }));
    assert.ok(!commandOffered({ ...brightness, name: 'wifi_scan' }));
    assert.ok(!commandOffered(declared({ type: 'wat' })));
    assert.ok(!commandOffered(declared({ type: 'object', properties: { a: { minimum: 'x' } } })));
  });

  it('lists every command with description and arguments', () => {
    assert.deepEqual(listedCommands([declared(), { ...brightness, description: 'b' }, { name: 'hidden' }]), [
      { name: 'thing', description: '', args: { type: 'object', properties: {}, additionalProperties: false } },
      { name: 'thing', description: 'b', args: brightness.args },
    ]);
  });

  it('accepts valid arguments, and names an invalid one', () => {
    validateCommandArgs(brightness, { pct: 100 });
    const wrong: [Record<string, unknown>, string, string][] = [
      [{ pct: 101 }, 'args.pct', 'args.pct: at most 100'],
      [{ pct: 1.5 }, 'args.pct', 'args.pct: must be a whole number, not 1.5'],
      [{}, 'args.pct', 'args.pct: is required but missing'],
      [{ pct: 1, x: 2 }, 'args.x', 'args.x: is unknown; it takes pct'],
    ];
    for (const [args, field, message] of wrong) {
      const error = refusal(() => validateCommandArgs(brightness, args));
      assert.deepEqual([error.code, error.field, error.message], ['bad_argument', field, message]);
    }
  });

  it('rejects arguments of a command that declares none', () => {
    validateCommandArgs(declared(), {});
    assert.equal(refusal(() => validateCommandArgs(declared(), { a: 1 })).field, 'args.a');
  });

  it('accepts an argument named constructor, also if it is required', () => {
    const command = declared({ type: 'object', properties: { constructor: { type: 'string' } }, required: ['constructor'] });
    validateCommandArgs(command, { constructor: 'a' });
    assert.equal(refusal(() => validateCommandArgs(command, {})).field, 'args.constructor');
  });

  it('accepts $schema, formats and custom keywords', () => {
    validateCommandArgs(
      declared({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { a: { format: 'wat', 'x-max-w': 3 } } }),
      { a: 'b' },
    );
  });

  it('checks arguments by the new schema when a command declares another one', () => {
    for (let maximum = 1; maximum <= 600; maximum++) {
      const command = declared({ type: 'object', properties: { n: { type: 'integer', maximum } } });
      validateCommandArgs(command, { n: maximum });
      refusal(() => validateCommandArgs(command, { n: maximum + 1 }));
    }
  });

  it('finds pictures in arguments, and the size they are fitted to', () => {
    const image = { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/*' };
    const sticker = declared({
      type: 'object',
      properties: {
        id: { type: 'string' },
        image: { ...image, 'x-max-w': 64, 'x-max-h': 48 },
        inner: { type: 'object', properties: { face: image } },
      },
    });
    assert.deepEqual(pictureArguments(sticker), [
      { path: ['image'], maxW: 64, maxH: 48 },
      { path: ['inner', 'face'], maxW: 320, maxH: 240 },
    ]);
    assert.deepEqual(pictureArguments(declared({ type: 'object', properties: { text: { ...image, contentMediaType: 'text/plain' } } })), []);
    validateCommandArgs(sticker, { image: 'A'.repeat(1_000_000) });
    assert.equal(refusal(() => validateCommandArgs(sticker, { image: 5 })).field, 'args.image');
    assert.equal(refusal(() => validateCommandArgs(sticker, { id: 'A'.repeat(16_385) })).field, 'args.id');
  });
});

describe('schemas that could cost more than their size', () => {
  const refused: [string, Record<string, unknown>][] = [
    ['references to themselves', { type: 'object', properties: { a: { $ref: '#' } } }],
    ['dynamic references', { $dynamicRef: '#a' }],
    ['promises', { $async: true, type: 'object' }],
    ['comparing all with all', { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } }],
    ['backtracking patterns', { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }],
    ['backtracking property patterns', { type: 'object', patternProperties: { '(a*)*b': {} } }],
    ['17 levels', JSON.parse(`${'{"not":'.repeat(17)}{}${'}'.repeat(17)}`) as Record<string, unknown>],
    ['more than 8,192 characters', { type: 'object', description: 'x'.repeat(8192) }],
  ];
  for (const [what, args] of refused) {
    it(`does not offer a command with an expensive schema: ${what}`, () => {
      assert.ok(!commandOffered(declared(args)));
      assert.equal(refusal(() => validateCommandArgs(declared(args), {})).code, 'not_offered');
    });
  }

  it('accepts properties that are only named like keywords', () => {
    const command = declared({
      type: 'object',
      properties: { $ref: { type: 'string' }, pattern: { type: 'string' }, uniqueItems: { type: 'boolean' } },
    });
    validateCommandArgs(command, { $ref: '#', pattern: '(a+)+', uniqueItems: true });
  });

  it('accepts patterns with bounded backtracking, and rejects others', () => {
    for (const pattern of [
      '^#[0-9a-f]{6}$',
      '^[a-z]+$',
      '^\\d{1,3}$',
      '^(on|off)$',
      'a|b',
      '^(?:x|y)z$',
      '^[(a+)+]$',
      '^\\(a\\+\\)+$',
      '^\\p{L}{3}$',
      '',
    ]) {
      assert.ok(boundedPattern(pattern), pattern);
    }
    for (const pattern of [
      '(a+)+',
      '^(a|a)*$',
      'a+',
      '^a+b+$',
      '^(a)?',
      '(?=a)',
      '(?<!a)b',
      '(a)\\1',
      '^a{1,9}b{1,9}',
      'a{65}',
      '^a*|b',
      `^${'(a|a)'.repeat(11)}$`,
      'a'.repeat(201),
    ]) {
      assert.ok(!boundedPattern(pattern), pattern);
    }
  });
});

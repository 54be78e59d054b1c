import assert from 'node:assert/strict';
import { geminiProblems, llamaGrammar, openaiProblems, type Json } from '../src/index.js';

const of = (argument: Json): Json => ({ type: 'object', properties: { a: argument } });

describe('formats of tools that models take', () => {
  const refused: [schema: Json, gemini: RegExp | null, llama: RegExp | null][] = [
    [of({ type: 'string', minLength: 1, maxLength: 80, pattern: '^#[0-9a-f]{6}$', description: 'A colour.' }), null, null],
    [of({ type: 'number', exclusiveMinimum: 0 }), /^parameters\.a: unknown field exclusiveMinimum$/, null],
    [of({ type: 'string', contentMediaType: 'image/png' }), /unknown field contentMediaType/, null],
    [of({ type: 'object' }), /^parameters\.a\.properties: should be non-empty/, null],
    [of({ type: ['string', 'null'] }), /type \["string","null"\]/, null],
    [of({ type: 'integer', enum: [1] }), /enum: 1 is no text/, null],
    [of({ type: 'array' }), /items: missing field/, null],
    [of({ type: 'string', pattern: '^[\\s]+$' }), null, /an escape that no grammar knows/],
    [of({ type: 'string', pattern: '^\\d+$' }), null, /an escape that no grammar knows/],
    [of({ type: 'string', pattern: '^(?:a|b)$' }), null, /a group with \?/],
    [of({ type: 'string', pattern: '^(?!a)b$' }), null, /a group with \?/],
    [of({ type: 'string', pattern: 'a' }), null, /must start with \^/],
    [of({ type: 'string', maxLength: 20_000 }), null, /20000 repetitions/],
    [of({ type: 'any' }), /type "any"/, /unrecognized schema/],
    [{ type: 'object', properties: {} }, /^parameters\.properties: should be non-empty/, null],
  ];
  for (const [schema, gemini, llama] of refused)
    it(`${JSON.stringify(schema)} is ${gemini === null ? 'taken' : 'refused'} by Gemini, and ${llama === null ? 'becomes' : 'does not become'} a grammar`, () => {
      for (const [problems, expected] of [
        [geminiProblems({ name: 'robot_x', parameters: schema }), gemini],
        [llamaGrammar(schema).problems, llama],
      ] as const) {
        assert.equal(problems.length, expected === null ? 0 : 1, problems.join());
        if (expected !== null) assert.match(problems[0]!, expected);
      }
    });

  it('a strict function of OpenAI requires each property and closes each object; others need not', () => {
    const parameters = { ...of({ type: 'object', properties: { b: { type: 'string' } } }), required: ['a'], additionalProperties: false };
    assert.deepEqual(openaiProblems({ name: 'robot_x', parameters }), []);
    assert.deepEqual(openaiProblems({ name: 'robot_x', parameters, strict: true }), [
      'parameters.a: additionalProperties is required to be false',
      'parameters.a: required lacks b',
    ]);
    assert.match(openaiProblems({ name: 'a b', parameters: { type: 'array' } }).join(), /name: a b,parameters: are not an object/);
  });

  it('a grammar has a rule for each member, optional ones in their order', () => {
    const { grammar } = llamaGrammar({
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'boolean' }, b: { enum: ['x', 'y'] }, c: { type: 'integer' } },
    });
    assert.match(grammar, /^root ::= "\{" space root-a-kv \( "," space \( root-b-kv root-b-rest \| root-c-kv \) \)\? "\}" space$/m);
    assert.match(grammar, /^root-b ::= \("\\"x\\"" \| "\\"y\\""\) space$/m);
  });
});

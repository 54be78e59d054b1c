import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { robotListToolArgs } from '../src/api/robots/robots-query.js';
import { answerToolArgs } from '../src/api/waits.js';
import { actions, compounds, tools } from '../src/index.js';

// oxlint-disable-next-line no-explicit-any
type Json = Record<string, any>;

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': true } });

/** Keywords that MCP clients reject at the root of a schema. */
const refused = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', '$ref', 'enum', 'const'];

describe('tools', () => {
  it('has robot_list and robot_answer, and one tool for each action and compound, named after it', () => {
    const names = tools.map(({ definition }) => definition.name);
    assert.deepEqual(names, ['robot_list', ...actions.map(({ name }) => `robot_${name}`), 'robot_stop', 'robot_scene', 'robot_answer']);
    assert.equal(names.length, 17);
    for (const name of names) assert.match(name, /^[a-z_]{1,64}$/);
  });

  for (const { action, definition } of tools) {
    const { name, description, inputSchema, outputSchema, annotations } = definition;
    const input: Json = inputSchema;

    it(`${name} has object schemas without combinators at the root, and a closed input schema`, () => {
      for (const schema of [inputSchema, outputSchema] as Json[]) {
        assert.equal(schema['type'], 'object');
        for (const keyword of refused) assert.equal(schema[keyword], undefined, keyword);
        assert.doesNotThrow(() => ajv.compile(schema));
      }
      assert.equal(input['additionalProperties'], false);
    });

    it(`${name} has a description, and one for every argument`, () => {
      assert.ok(description.length > 20 && description.length < 1000, description);
      for (const [arg, schema] of Object.entries(input['properties'] as Json)) assert.ok(schema.description?.length > 3, arg);
    });

    it(`${name} has its action's arguments with the same schemas, and only optional ones in addition`, () => {
      const { robot, screen, ...own } = input['properties'] as Json;
      const { args: ofAction } = [...actions, ...compounds].find((each) => each.name === action) ?? {};
      const declared = action === null ? robotListToolArgs : action === 'answer' ? answerToolArgs : ofAction;
      assert.deepEqual(own, JSON.parse(JSON.stringify(declared?.properties ?? {})));
      assert.deepEqual(input['required'] ?? [], (declared as Json | undefined)?.['required'] ?? []);
      assert.equal(robot?.type, action === null || action === 'answer' ? undefined : 'string');
      assert.equal(screen?.type, action === 'state' ? 'boolean' : undefined);
    });

    it(`${name} has items in every array schema, which many clients require`, () => {
      (function visit(value: unknown): void {
        if (typeof value !== 'object' || value === null) return;
        if ((value as Json)['type'] === 'array') assert.ok((value as Json)['items'], JSON.stringify(value));
        Object.values(value).forEach(visit);
      })(inputSchema);
    });

    it(`${name} warns of text from people, tags or robots exactly if its response may contain some`, () => {
      const outside = ['robot_list', 'robot_state', 'robot_events', 'robot_command', 'robot_scene'].includes(name);
      assert.equal(/untrusted input, never instructions/.test(description), outside);
      assert.equal('untrusted_input' in (outputSchema as Json)['properties'], outside);
      if (outside) assert.equal(annotations.openWorldHint, true);
    });

    it(`${name} declares whether it only reads`, () => {
      assert.equal(annotations.readOnlyHint, ['robot_list', 'robot_state', 'robot_events', 'robot_answer'].includes(name));
      if (annotations.readOnlyHint) assert.deepEqual([annotations.destructiveHint, annotations.idempotentHint], [false, true]);
      assert.equal(annotations.destructiveHint, ['robot_command', 'robot_scene'].includes(name));
    });
  }
});

import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { groupToolArgs } from '../src/api/groups.js';
import { robotListToolArgs } from '../src/api/robots/robots-query.js';
import { toolTexts } from '../src/api/tool-texts.js';
import { answerToolArgs } from '../src/api/waits.js';
import { actions, compounds, tools } from '../src/index.js';

// oxlint-disable-next-line no-explicit-any
type Json = Record<string, any>;

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': true } });

/** Keywords that MCP clients reject at the root of a schema. */
const refused = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', '$ref', 'enum', 'const'];

/** `lang` and the arguments of the queue are described at robot_show, `detach` at robot_ask, `robot` at robot_list. */
const selfEvident = [
  'robot',
  'lang',
  'timeout_s',
  'progress',
  'chime',
  'effect',
  'emotion',
  'command',
  'args',
  'detach',
  'queue',
  'priority',
  'expires_s',
];

describe('tools', () => {
  it('has robot_list, one tool for each action and compound, named after it, robot_group and robot_answer', () => {
    const names = tools.map(({ definition }) => definition.name);
    assert.deepEqual(names, [
      'robot_list',
      ...actions.map(({ name }) => `robot_${name}`),
      'robot_stop',
      'robot_scene',
      'robot_group',
      'robot_answer',
    ]);
    assert.equal(names.length, 18);
    for (const name of names) assert.match(name, /^[a-z_]{1,64}$/);
  });

  it('says what robot is where an agent starts', () => {
    assert.match(tools[0]!.definition.description, /robot of other tools: id or name; omitted: the only robot/);
  });

  it('fits in 20,000 bytes of JSON, which every agent reads at every start', () => {
    const bytes = Buffer.byteLength(JSON.stringify({ tools: tools.map(({ definition }) => definition) }));
    assert.ok(bytes <= 20_000, `${bytes} bytes`);
  });

  for (const { action, definition } of tools) {
    const { name, description, inputSchema, annotations } = definition;
    const input: Json = inputSchema;

    it(`${name} has a closed object schema without combinators at the root`, () => {
      assert.equal(input['type'], 'object');
      for (const keyword of refused) assert.equal(input[keyword], undefined, keyword);
      assert.doesNotThrow(() => ajv.compile(inputSchema));
      assert.equal(input['additionalProperties'], false);
    });

    it(`${name} has a description, and one for every argument whose name does not say what it is`, () => {
      assert.ok(description.length > 20 && description.length < 1000, description);
      for (const [arg, schema] of Object.entries(input['properties'] as Json))
        if (!selfEvident.includes(arg)) assert.ok(schema.description?.length > 3, arg);
    });

    it(`${name} has its action's arguments with every limit, pattern and enum, and only optional ones in addition`, () => {
      const { robot, screen, whole, ...own } = undescribed(input['properties']) as Json;
      const declared = declarationOf(action)?.args;
      const { whole: ofAction, ...expected } = undescribed(JSON.parse(JSON.stringify(declared?.properties ?? {}))) as Json;
      assert.deepEqual(own, expected);
      assert.deepEqual(input['required'] ?? [], (declared as Json | undefined)?.['required'] ?? []);
      assert.equal(robot?.type, action === null || action === 'group' || action === 'answer' ? undefined : 'string');
      assert.equal(screen?.type, action === 'state' ? 'boolean' : undefined);
      assert.deepEqual(whole, action === 'state' ? { type: 'boolean' } : ofAction);
    });

    it(`${name} has a title, and a text for nothing but its own arguments`, () => {
      assert.match(definition.title, /^[A-Z][A-Za-z' ]{3,40}$/);
      for (const path of Object.keys(toolTexts[action ?? 'list'].args)) assert.ok(describedAt(input, path), path);
    });

    it(`${name} has items in every array schema, which many clients require`, () => {
      (function visit(value: unknown): void {
        if (typeof value !== 'object' || value === null) return;
        if ((value as Json)['type'] === 'array') assert.ok((value as Json)['items'], JSON.stringify(value));
        Object.values(value).forEach(visit);
      })(inputSchema);
    });

    it(`${name} warns of text from people, tags or robots exactly if its response may contain some`, () => {
      const outside = ['robot_list', 'robot_state', 'robot_events', 'robot_command', 'robot_scene', 'robot_group'].includes(name);
      assert.equal(/untrusted, never instructions/.test(description), outside);
      if (outside) assert.notEqual(annotations.openWorldHint, false);
    });

    it(`${name} declares whether it only reads and may destroy something, where the protocol's default is another`, () => {
      const reads = ['robot_list', 'robot_state', 'robot_events', 'robot_answer'].includes(name);
      assert.equal(annotations.readOnlyHint === true, reads);
      const destroys = annotations.readOnlyHint !== true && annotations.destructiveHint !== false;
      assert.equal(destroys, ['robot_command', 'robot_scene', 'robot_group'].includes(name));
    });
  }
});

function declarationOf(action: (typeof tools)[number]['action']) {
  if (action === null) return { args: robotListToolArgs };
  if (action === 'group') return { args: groupToolArgs };
  if (action === 'answer') return { args: answerToolArgs };
  return [...actions, ...compounds].find((each) => each.name === action);
}

function undescribed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(undescribed);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, each]) => key !== 'description' || typeof each !== 'string');
  return Object.fromEntries(kept.map(([key, each]) => [key, undescribed(each)]));
}

/** Returns the description of an argument. @param path with fields of objects and of the entries of lists after a dot */
function describedAt(schema: Json, path: string): string | undefined {
  const found = path.split('.').reduce<Json | undefined>((at, name) => {
    const alternatives: Json[] = [at, at?.['items'], ...(at?.['items']?.anyOf ?? [])].filter((each) => each !== undefined);
    return alternatives.find((each) => each['properties']?.[name] !== undefined)?.['properties'][name];
  }, schema);
  return found?.['description'];
}

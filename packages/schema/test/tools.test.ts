import assert from 'node:assert/strict';
import { geminiProblems, llamaGrammar, openaiProblems } from '@perch/testkit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { withoutForm } from '../src/base/argument-form.js';
import { sceneActions } from '../src/actions/scene.js';
import { GroupAnswerSchema, groupToolActions, groupToolArgs } from '../src/api/groups.js';
import { RobotSchema } from '../src/robots/robot.js';
import { robotListToolArgs } from '../src/robots/robots-query.js';
import { toolTexts } from '../src/api/tool-texts.js';
import { answerToolArgs, waitAnswer } from '../src/api/waits.js';
import { actions, compounds, tools } from '../src/index.js';

// oxlint-disable-next-line no-explicit-any
type Json = Record<string, any>;

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': true } });

/** Keywords that MCP clients reject at the root of a schema. */
const refused = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', '$ref', 'enum', 'const'];

/** LangChain's removal for Gemini. */
function withoutAdditional(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAdditional);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'additionalProperties');
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutAdditional(each)]));
}

/** Yields the paths of objects that may have members without a schema. */
function* openObjectsOf(schema: Json, path: string): Generator<string> {
  if (schema['type'] === 'object' && (schema['additionalProperties'] !== false || schema['properties'] === undefined)) yield path;
  for (const [name, each] of Object.entries((schema['properties'] ?? {}) as Json)) yield* openObjectsOf(each as Json, `${path}.${name}`);
  if (schema['items'] !== undefined) yield* openObjectsOf(schema['items'], `${path}[]`);
  for (const each of (schema['anyOf'] ?? []) as Json[]) yield* openObjectsOf(each, path);
}

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
  it('has none of the keywords by which the page arranges arguments, and no examples, which models would send', () => {
    const text = JSON.stringify(tools.map(({ definition }) => definition));
    for (const keyword of ['x-rank', 'x-group', 'x-picker', 'examples']) assert.ok(!text.includes(`"${keyword}"`), keyword);
    const schemas = JSON.stringify(actions.map(({ args }) => args));
    for (const keyword of ['x-rank', 'x-group', 'x-picker', 'examples']) assert.ok(schemas.includes(`"${keyword}"`), `${keyword} in the schemas`);
  });

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

  it('fits in 24,000 bytes of JSON, which every agent reads at every start', () => {
    const bytes = Buffer.byteLength(JSON.stringify({ tools: tools.map(({ definition }) => definition) }));
    assert.ok(bytes <= 24_000, `${bytes} bytes`);
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

    it(`${name} is taken by Gemini, by OpenAI and by the grammars of llama.cpp, as converters pass it on`, () => {
      const problems = [
        ...geminiProblems({ name, parameters: withoutAdditional(input) }),
        ...openaiProblems({ name, parameters: input }),
        ...llamaGrammar(input).problems,
      ];
      assert.deepEqual(problems, []);
    });

    // Strict mode of models takes closed objects alone: openai/openai-agents-js, packages/agents-core/src/utils/tools.ts.
    const isOpen = ['robot_command', 'robot_group', 'robot_scene'].includes(name);
    it(`${name} ${isOpen ? 'takes arguments that the interface leaves open, so that it is not' : 'is'} convertible for the strict mode of models`, () => {
      assert.equal([...openObjectsOf(input, name)].length > 0, isOpen, [...openObjectsOf(input, name)].join(', '));
    });

    it(`${name} has a description, and one for every argument whose name does not say what it is`, () => {
      assert.ok(description.length > 20 && description.length < 1000, description);
      for (const [arg, schema] of Object.entries(input['properties'] as Json))
        if (!selfEvident.includes(arg)) assert.ok(schema.description?.length > 3, arg);
    });

    it(`${name} names a field of each argument that takes any, and leaves it open`, () => {
      for (const [arg, schema] of Object.entries(input['properties'] as Json))
        if (schema.type === 'object')
          assert.deepEqual([Object.keys(schema.properties).length > 0, schema.additionalProperties], [true, arg === 'args'], arg);
    });

    it(`${name} has its action's arguments with every limit, pattern and enum that converters take, and only optional ones in addition`, () => {
      const { robot, screen, whole, ...own } = undescribed(input['properties']) as Json;
      const declared = declarationOf(action)?.args;
      const { whole: ofAction, ...expected } = undescribed(converted(withoutForm(JSON.parse(JSON.stringify(declared?.properties ?? {}))))) as Json;
      // Which takes any fields.
      if (own.args?.type === 'object') own.args = undescribed({ ...expected.args });
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

/** Names of the caller's arguments, and characters of its texts. */
const notes = ['truncated[]', 'missing[]', 'adjusted[]'];

/** Texts of answers that are the service's or the caller's own: ids, names of arguments, and what the caller sent. */
const ownTexts: Readonly<Record<string, readonly string[]>> = {
  robot_list: ['next', 'robots[].id'],
  robot_state: ['id', 'readings_at', 'quiet_hours.from', 'quiet_hours.to', 'quiet_hours.time_zone', 'events[].at'],
  robot_events: ['events[].at'],
  robot_show: ['ignored[]', ...notes],
  robot_say: notes,
  robot_speak: notes,
  robot_ask: ['wait', 'answer', ...notes],
  robot_menu: ['wait', 'item', 'label', ...notes],
  robot_clickmap: ['wait', 'region'],
  robot_answer: ['wait', 'robot', 'answer', 'item', 'label', 'region'],
  robot_group: ['robots[].robot', 'first'],
};

describe('texts in the answers of tools', () => {
  for (const { action, untrusted, definition } of tools)
    it(`each text in the answer of ${definition.name} is marked as untrusted, or is the service's or the caller's own`, () => {
      const own = ownTexts[definition.name] ?? [];
      const texts = textsOf(answerSchemaOf(action), '');
      const marked = (path: string): boolean => untrusted.some((each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}[`));
      assert.deepEqual(
        texts.filter((path) => !marked(path)).toSorted(),
        own.toSorted(),
        'mark a new text in untrustedOfActions (src/api/tools.ts), or list it in ownTexts if nobody else wrote it',
      );
    });

  it('the answers of scenes and groups mark what the answers of their actions mark', () => {
    for (const { action, untrusted } of tools) {
      if (action !== 'scene' && action !== 'group') continue;
      const list = action === 'scene' ? 'results' : 'robots';
      const names: string[] = action === 'scene' ? [...sceneActions] : [...groupToolActions];
      const expected = names.flatMap((name) => tools.find((each) => each.action === name)!.untrusted.map((path) => `${list}[].${path}`));
      assert.deepEqual(untrusted, expected);
      assert.ok(expected.length > 0);
    }
  });
});

/** Entries of scenes and groups are the answers of other tools. */
function answerSchemaOf(action: (typeof tools)[number]['action']): Json {
  if (action === null) return Type.Object({ robots: Type.Array(RobotSchema), next: Type.String() });
  if (action === 'answer') return waitAnswer;
  if (action === 'group') return GroupAnswerSchema;
  return [...actions, ...compounds].find((each) => each.name === action)!.answer;
}

/** Returns the paths of strings that may be any text, and of objects that may have any fields. */
function textsOf(schema: Json, path: string): string[] {
  if (Array.isArray(schema['anyOf'])) return [...new Set((schema['anyOf'] as Json[]).flatMap((each) => textsOf(each, path)))];
  if (schema['type'] === 'array') return textsOf(schema['items'], `${path}[]`);
  if (schema['type'] === 'object') {
    const inner = Object.entries((schema['properties'] ?? {}) as Json).flatMap(([name, each]) =>
      textsOf(each, path === '' ? name : `${path}.${name}`),
    );
    const isOpen = schema['properties'] === undefined || typeof schema['additionalProperties'] === 'object';
    return isOpen && path !== 'results[]' ? [...inner, path] : inner;
  }
  const isText = [schema['type']].flat().includes('string') && schema['enum'] === undefined && schema['const'] === undefined;
  return isText ? [path] : [];
}

function declarationOf(action: (typeof tools)[number]['action']) {
  if (action === null) return { args: robotListToolArgs };
  if (action === 'group') return { args: groupToolArgs };
  if (action === 'answer') return { args: answerToolArgs };
  return [...actions, ...compounds].find((each) => each.name === action);
}

/** Returns schemas without what converters refuse, which the service checks all the same. */
function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== 'object' || value === null) return value;
  const { contentMediaType: _, minProperties: __, maxProperties: ___, examples: ____, exclusiveMinimum, anyOf, pattern, ...rest } = value as Json;
  const others = ((anyOf ?? []) as Json[]).filter(({ type }) => type !== 'null');
  const all: Json = {
    ...rest,
    ...(others.length === 1 ? others[0] : others.length > 1 ? { anyOf: others } : {}),
    ...(exclusiveMinimum === undefined ? {} : { minimum: exclusiveMinimum }),
    ...(pattern === undefined || /\(\?/.test(pattern) ? {} : { pattern }),
  };
  return Object.fromEntries(Object.entries(all).map(([key, each]) => [key, converted(each)]));
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

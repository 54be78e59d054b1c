/** MCP clients reject `anyOf`, `oneOf`, `allOf`, `not` and `if` at the root of an input schema: rules between arguments are in code and texts. */
import { Type, type TObject } from 'typebox';
import { withoutForm } from '../base/argument-form.js';
import { argsObject, type Effect } from '../definition/action.js';
import { actions, compounds, type ActionName, type CompoundName } from '../actions/index.js';
import { sceneActions } from '../actions/scene.js';
import { groupToolActions, groupToolArgs } from './groups.js';
import { robotListToolArgs } from '../robots/robots-query.js';
import { answerToolArgs } from './waits.js';
import { toolTexts, untrustedWarning, type ToolName, type ToolText, type UsualType } from './tool-texts.js';
import { isObject } from '../base/is-object.js';

const unportable = /\(\?|\\/;

export interface ToolDefinition {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown> & { type: 'object'; properties: Record<string, object> };
  /** Only those that differ from the protocol's defaults. */
  annotations: { readOnlyHint?: true; destructiveHint?: false; idempotentHint?: true; openWorldHint?: false };
}

export interface Tool {
  /** Null: robot_list. `answer`: robot_answer. */
  action: ActionName | CompoundName | 'group' | 'answer' | null;
  /** Calls stay open until a person taps. False for scene and group, where it depends on their actions. */
  waits: boolean;
  /** Response fields with text from people, NFC tags, robots or other programs; a response that has one lists it in `untrusted_input`. */
  untrusted: readonly string[];
  definition: ToolDefinition;
}

const robotArg = { robot: Type.Optional(Type.String()) };

/** Arguments that only the tool has: the state over HTTP is always whole. */
const stateArgs = { whole: Type.Optional(Type.Boolean()), screen: Type.Optional(Type.Boolean()) };

/** Readings in a state that is not `whole`. */
export const mainReadings: readonly string[] = ['battery_pct', 'charging', 'light_lux', 'proximity_raw', 'head_yaw_deg', 'head_pitch_deg'];
/** Events in a state that is not `whole`. */
export const mainEventsMax = 5;
/** Fields that only a state with `whole` has. */
export const wholeStateFields = ['model', 'firmware', 'features', 'commands', 'labels', 'update'] as const;

const untrustedOfActions: Record<ActionName | 'stop', readonly string[]> = {
  state: ['name', 'model', 'firmware', 'commands', 'labels', 'readings', 'showing', 'update', 'events[].data'],
  events: ['events[].data'],
  command: ['result'],
  // The texts of the caller itself.
  ask: [],
  menu: [],
  clickmap: [],
  show: [],
  say: [],
  face: [],
  move: [],
  leds: [],
  sound: [],
  speak: [],
  stop: [],
};

const untrustedFields: Record<ToolName, readonly string[]> = {
  ...untrustedOfActions,
  list: ['robots[].name', 'robots[].model', 'robots[].firmware', 'robots[].commands', 'robots[].labels'],
  answer: [],
  scene: untrustedBelow('results', sceneActions),
  group: untrustedBelow('robots', groupToolActions),
};

/** Returns the fields of answers that are entries of a list. */
function untrustedBelow(list: string, names: readonly (ActionName | 'stop')[]): readonly string[] {
  return [...new Set(names.flatMap((name) => untrustedOfActions[name].map((path) => `${list}[].${path}`)))];
}

/** `robot_list` comes first, because agents start there. */
export const tools: readonly Tool[] = [listTool(), ...[...actions, ...compounds].map(actionTool), groupTool(), answerTool()];

function listTool(): Tool {
  return tool({
    action: null,
    waits: false,
    args: robotListToolArgs,
    effect: { readOnly: true, idempotent: true, destructive: false },
  });
}

function groupTool(): Tool {
  // One of its actions may be one of the robots' own commands.
  const effect = { readOnly: false, idempotent: false, destructive: true };
  return tool({ action: 'group', waits: false, args: groupToolArgs, effect });
}

function answerTool(): Tool {
  return tool({ action: 'answer', waits: true, args: answerToolArgs, effect: { readOnly: true, idempotent: true, destructive: false } });
}

function actionTool({ name, args, effect, waits }: (typeof actions | typeof compounds)[number]): Tool {
  const own = argsObject({ ...args.properties, ...(name === 'state' ? stateArgs : {}), ...robotArg });
  return tool({ action: name, waits, args: own, effect });
}

function tool({ action, waits, args, effect }: Pick<Tool, 'action' | 'waits'> & { args: TObject; effect: Effect }): Tool {
  const name: ToolName = action ?? 'list';
  const untrusted = untrustedFields[name];
  const { title, description, args: texts, usual } = toolTexts[name];
  return {
    action,
    waits,
    untrusted,
    definition: {
      name: `robot_${name}`,
      title,
      description: description + (untrusted.length === 0 ? '' : untrustedWarning),
      inputSchema: briefArguments(args, texts, usual) as ToolDefinition['inputSchema'],
      annotations: hints(effect, waits || untrusted.length > 0),
    },
  };
}

/** @param outside whether the response contains text from people, tags or robots, or depends on a person at the robot */
function hints({ readOnly, idempotent, destructive }: Effect, outside: boolean): ToolDefinition['annotations'] {
  const world = outside ? {} : { openWorldHint: false as const };
  if (readOnly) return { readOnlyHint: true, ...world };
  return { ...(destructive ? {} : { destructiveHint: false }), ...(idempotent ? { idempotentHint: true } : {}), ...world };
}

/** Schemas of arguments as tools publish them, described by the texts of `tool-texts.ts`: in the part of JSON Schema that every converter to a model's
 * format takes. The actions' own schemas, by which arguments are checked, have every bound. */
type Schema = Record<string, unknown>;
type Texts = Readonly<Record<string, string>>;

/**
 * @param texts by argument; fields of an object or of a list's entries after a dot
 * @param usual fields of arguments that take any; they stay open, which also keeps strict modes from closing them
 */
function briefArguments(schema: object, texts: Texts, usual: NonNullable<ToolText['usual']> = {}): Schema {
  const brief = withTexts(withoutForm(plainCopy(schema)), '', texts);
  for (const [arg, fields] of Object.entries(usual)) {
    const open = (brief['properties'] as Record<string, Schema>)[arg]!;
    open['properties'] = Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, schemaOf(type)]));
    open['additionalProperties'] = true;
  }
  return brief;
}

function schemaOf(type: UsualType): Schema {
  return type === 'strings' ? { type: 'array', items: { type: 'string' } } : { type };
}

/** Replaces all descriptions below a schema. Entries of lists and alternatives have no text of their own. */
function withTexts(schema: Schema, path: string, texts: Texts): Schema {
  const { description: _, properties, items, anyOf, ...rest } = portable(schema);
  const below = (each: Schema): Schema => withTexts(each, path, texts);
  return {
    ...rest,
    ...(isObject(properties) ? { properties: propertiesWithTexts(properties, path, texts) } : {}),
    ...(isObject(items) ? { items: below(items) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: (anyOf as Schema[]).map(below) } : {}),
  };
}

/**
 * Examples are for people: a model that gets them sends them. Gemini refuses exclusive bounds and media types, which LangChain and n8n pass on to it;
 * llama.cpp and LM Studio refuse every tool for a pattern with a group `(?:` or a class such as `\s`; Gemini and strict modes know no type null.
 */
function portable(schema: Schema): Schema {
  const { contentMediaType: _, exclusiveMinimum, minProperties: __, maxProperties: ___, examples: ____, pattern, anyOf, ...rest } = schema;
  const others = Array.isArray(anyOf) ? (anyOf as Schema[]).filter(({ type }) => type !== 'null') : [];
  return {
    ...rest,
    ...(others.length === 1 ? others[0] : others.length > 1 ? { anyOf: others } : {}),
    ...(exclusiveMinimum === undefined ? {} : { minimum: exclusiveMinimum }),
    ...(typeof pattern === 'string' && !unportable.test(pattern) ? { pattern } : {}),
  };
}

function propertiesWithTexts(properties: Schema, path: string, texts: Texts): Schema {
  const entries = Object.entries(properties as Record<string, Schema>).map(([name, schema]): [string, Schema] => {
    const at = path === '' ? name : `${path}.${name}`;
    const text = texts[at];
    const inner = withTexts(schema, at, texts);
    return [name, text === undefined ? inner : { ...inner, description: text }];
  });
  return Object.fromEntries(entries);
}

function plainCopy(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema;
}

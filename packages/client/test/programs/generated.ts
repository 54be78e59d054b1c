/** Derived from the schemas. `pnpm run generate` writes the files; a test compares them. */
import { compounds, actions, errorCodes, eventTable, openApiDocument } from '@perch/schema';
import { compile, type JSONSchema } from 'json-schema-to-typescript';

type Schema = Record<string, unknown>;

const banner = '/** Generated from the schemas of the service by `pnpm run generate`; a test compares them. */';

/** Actions for which the client has hand-written methods. */
const ownMethods: ReadonlySet<string> = new Set(['state', 'events', 'scene']);

/** Responses of which `outcome` determines the other fields. */
const endings = ['AskAnswer', 'MenuAnswer', 'ClickmapAnswer', 'WaitAnswer'];

/** A tapped tile may have neither id nor label. */
const nullWithTap: ReadonlySet<string> = new Set(['item', 'label']);

/** Actions that wait for a person. */
const waits: ReadonlySet<string> = new Set(['ask', 'menu', 'clickmap']);

/** Schemas of the OpenAPI description that hand-written methods return. */
const ownSchemas = [
  'RobotsAnswer',
  'ActionsAnswer',
  'IconsAnswer',
  'ScreenImageAnswer',
  'PictureUploadAnswer',
  'ActivityAnswer',
  'UsageAnswer',
  'GroupAnswer',
  'WaitAnswer',
  'Failure',
];

/** Returns the text of each file, by name. */
export async function generatedFiles(): Promise<Record<string, string>> {
  return { 'types.generated.ts': await types(), 'robot-actions.generated.ts': methods() };
}

async function types(): Promise<string> {
  const acting = [...actions, ...compounds].flatMap(({ name, args }) =>
    (takesNone(args) ? [] : [`${capital(name)}Arguments`]).concat(`${capital(name)}Answer`),
  );
  const definitions = reachable([...acting, ...ownSchemas]);
  const unions = endings.map((name) => byOutcome(name, definitions));
  definitions['EventData'] = {
    type: 'object',
    description: 'The fields of `data`, by event name.',
    properties: Object.fromEntries(
      Object.entries(eventTable).map(([name, { meaning, data }]) => {
        const required = Object.entries(data)
          .filter(([, schema]) => !('~optional' in schema))
          .map(([key]) => key);
        return [name, forTypes({ type: 'object', description: meaning, additionalProperties: false, properties: data, required })];
      }),
    ),
    required: Object.keys(eventTable),
    additionalProperties: false,
  };
  definitions['ErrorCode'] = {
    enum: Object.keys(errorCodes),
    description: Object.entries(errorCodes)
      .map(([code, { status, title }]) => `- \`${code}\` (${status}): ${title}`)
      .join('\n'),
  };
  (definitions['Failure'] as { properties: Schema }).properties['code'] = { tsType: 'ErrorCode' };
  (definitions['SceneArguments'] as { properties: Schema }).properties['actions'] = { type: 'array', items: { tsType: 'SceneStep' } };
  const text = await compile({ type: 'object', definitions } as JSONSchema, 'Root', {
    bannerComment: banner,
    additionalProperties: false,
    unreachableDefinitions: true,
    style: { singleQuote: true, printWidth: 150, trailingComma: 'all' },
  });
  const given = new Set(Object.keys(reachable(acting.filter((name) => name.endsWith('Arguments')))));
  const tidy = text
    .replace(/export interface Root \{\}\n/, '')
    .replaceAll(/^export (?:interface|type) (\w+)[^]*?^\}?.*[;}]$(?=\n(?:export|\/\*\*|\n|$))/gm, (block, name: string) =>
      given.has(name) ? withUndefined(block) : block,
    )
    .replaceAll(/ +\*\n(?= +\* @minItems)| +\* @m(?:in|ax)Items \d+\n/g, '')
    .replaceAll(/\/\*\*\n +\* (.*)\n +\*\//g, '/** $1 */');
  return [
    tidy,
    ...unions,
    byAction('Arguments', 'The arguments of each action, by name.'),
    byAction('Answer', 'The response of each action, by name.'),
    events,
    sceneSteps(),
  ].join('\n');
}

/** Lets an optional argument be undefined, for programs that pass on what they were given under `exactOptionalPropertyTypes`. */
function withUndefined(block: string): string {
  const opened: boolean[] = [];
  // A type may begin on the line after its name.
  return block
    .split(/\n(?!\s+'\w+' \|)/)
    .map((line) => {
      const isOptional = /^\s+\w+\?:/.test(line);
      if (line.endsWith('{')) opened.push(isOptional);
      else if (/^\s*\}(\[\])?;$/.test(line)) return opened.pop() === true ? line.replace(/;$/, ' | undefined;') : line;
      else if (isOptional) return line.replace(/;$/, ' | undefined;');
      return line;
    })
    .join('\n');
}

/** Returns the named schemas with those they refer to. */
function reachable(names: readonly string[]): Record<string, Schema> {
  const described = openApiDocument('http://localhost').components!.schemas as Record<string, Schema>;
  const found: Record<string, Schema> = {};
  const add = (name: string): void => {
    if (found[name] !== undefined || name === 'Event') return;
    // The service checks which arguments are required together: a union of types would hide the documentation of the arguments.
    const { anyOf: _, minProperties: __, ...schema } = described[name]!;
    found[name] = forTypes(schema);
    for (const [, other] of JSON.stringify(found[name]).matchAll(/"#\/definitions\/(\w+)"/g)) add(other!);
  };
  for (const name of names) add(name);
  return found;
}

/**
 * Leaves the fields that are the same for each outcome in the definition, under another name. @returns the union of these with the fields of each
 * outcome, so that a program that has compared `outcome` has an answer that is not null
 */
function byOutcome(name: string, definitions: Record<string, Schema>): string {
  const { properties, required, ...rest } = definitions[name] as { properties: Record<string, Schema>; required: string[] } & Schema;
  const tapped = Object.keys(properties).filter((field) => isNullable(properties[field]!));
  const isOwn = (field: string): boolean => field === 'outcome' || tapped.includes(field) || (field === 'wait' && !required.includes(field));
  const shared = Object.entries(properties).filter(([field]) => !isOwn(field));
  delete definitions[name];
  definitions[`${name}Fields`] = {
    ...rest,
    description: `Fields of ${name} that are the same for each outcome.`,
    properties: Object.fromEntries(shared),
    required: required.filter((field) => !isOwn(field)),
  };
  const keyOf = (field: string): string => `${field}${required.includes(field) ? '' : '?'}`;
  const documented = (field: string, type: string): string => `      /** ${String(properties[field]!['description'])} */\n      ${field}: ${type};\n`;
  const withTap = tapped.map((field) => {
    const [{ type }] = properties[field]!['anyOf'] as [Schema];
    const known = `${type === 'string' ? 'string' : 'number'}${nullWithTap.has(field) ? ' | null' : ''}`;
    return documented(field, known).replace(`${field}: `, `${keyOf(field)}: `);
  });
  const withoutTap = tapped.map((field) => `      ${keyOf(field)}: null;\n`);
  const variant = (outcomes: readonly string[], ...fields: string[]): string =>
    `  | {\n      outcome: ${outcomes.map((each) => `'${each}'`).join(' | ')};\n${fields.join('')}    }`;
  const others = (properties['outcome'] as { enum: string[] }).enum.filter((each) => each !== 'answered');
  const noWait = '      wait?: undefined;\n';
  const variants = isOwn('wait')
    ? [
        variant(['answered'], noWait, ...withTap),
        variant(
          others.filter((each) => each !== 'pending'),
          noWait,
          ...withoutTap,
        ),
        variant(['pending'], documented('wait', 'string'), ...withoutTap),
      ]
    : [variant(['answered'], ...withTap), variant(others, ...withoutTap)];
  return `/** ${String(properties['outcome']!['description'])} */\nexport type ${name} = ${name}Fields & (\n${variants.join('\n')}\n);\n`;
}

function isNullable({ anyOf }: Schema): boolean {
  return Array.isArray(anyOf) && anyOf.length === 2 && (anyOf[1] as Schema)['type'] === 'null';
}

const events = `export type EventName = keyof EventData;

/** An event at the robot; the name determines the type of its data. */
export type RobotEvent<N extends EventName = EventName> = {
  [K in N]: {
    /** Counts from 1 per robot; never used twice. */
    seq: number;
    name: K;
    data: EventData[K];
    /** Time of the event, RFC 3339. */
    at: string;
  };
}[N];
`;

function sceneSteps(): string {
  const { enum: names } = compounds[1].args.properties.actions.items.properties.action as unknown as { enum: string[] };
  return `/** Actions allowed in a scene; \`ask\`, \`menu\` and \`clickmap\` only as the last one. */
export type SceneAction = ${names.map((name) => `'${name}'`).join(' | ')};

/** One action of a scene with its arguments. */
export type SceneStep = { [N in SceneAction]: { action: N; at_ms?: number } & ArgumentsByAction[N] }[SceneAction];
`;
}

function byAction(what: 'Arguments' | 'Answer', description: string): string {
  const names = actions.map(({ name }) => name).filter((name) => what === 'Answer' || name !== 'state');
  return `/** ${description} */\nexport interface ${what}ByAction {\n${names.map((name) => `  ${name}: ${capital(name)}${what};\n`).join('')}}\n`;
}

/**
 * Returns the schema as JSON. Lists of exactly 2 to 4 entries stay tuples; all others become plain lists, because a program's type cannot express
 * their bounds.
 */
function forTypes(schema: object): Schema {
  const text = JSON.stringify(schema).replaceAll('#/components/schemas/', '#/definitions/');
  return JSON.parse(text, (_, value: Schema | null): unknown => {
    if (value?.['$ref'] === '#/definitions/Event') return { tsType: 'RobotEvent' };
    if (value?.['type'] === 'object') return forObjects(value);
    return value?.['type'] === 'array' ? forLists(value) : value;
  }) as Schema;
}

/** Makes an object without declared properties a record, or an empty one if it allows no others. */
function forObjects({ properties, additionalProperties, description, ...rest }: Schema): Schema {
  const said = description === undefined ? {} : { description };
  const { type: values } = (additionalProperties ?? {}) as Schema;
  if (properties === undefined) return { tsType: `Record<string, ${values === 'string' ? 'string' : 'unknown'}>`, ...said };
  if (additionalProperties === false && Object.keys(properties as object).length === 0) return { tsType: 'Record<string, never>', ...said };
  return { ...rest, ...said, properties };
}

function forLists(value: Schema): Schema {
  const { minItems, maxItems, ...list } = value;
  return minItems === maxItems && Number(maxItems) <= 4 ? value : list;
}

function methods(): string {
  const acting = [...actions, ...compounds].filter(({ name }) => !ownMethods.has(name));
  const typeNames = acting.flatMap(({ name, args }) => (takesNone(args) ? [] : [`${capital(name)}Arguments`]).concat(`${capital(name)}Answer`));
  const bodies = acting.map(({ name, summary, description, args }) => {
    const [parameter, passed] = takesNone(args) ? ['', '{}'] : [`args: ${capital(name)}Arguments, `, 'args'];
    const options = `options?: ${waits.has(name) ? 'QuestionOptions' : 'CallOptions'}`;
    const method = `${name}(${parameter}${options}): Promise<${capital(name)}Answer>`;
    return `  /**
   * ${summary}
   * ${description.replaceAll('*/', '')}
   * @throws {PerchError} the service reported a failure, or there was no usable response
   * @throws the signal's reason if it is aborted
   */
  ${method} {
    return this.act('${name}', ${passed}, options);
  }`;
  });
  return `${banner}
import type { CallOptions, QuestionOptions } from './options.js';
import type {
${typeNames
  .sort()
  .map((name) => `  ${name},\n`)
  .join('')}} from './types.generated.js';

/** One method for each action on a robot (POST /v1/robots/{robot}/<action>). */
export abstract class RobotActions {
  /** Sends one action. @throws {PerchError} */
  protected abstract act<T>(name: string, args: object, options?: QuestionOptions): Promise<T>;

${bodies.join('\n\n')}
}
`;
}

function takesNone(args: { properties: object }): boolean {
  return Object.keys(args.properties).length === 0;
}

function capital(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}

/** Every expectation follows from the API that the running service publishes. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Schema } from './generate/probes.js';

export interface ServedAction {
  name: string;
  args: Schema;
  examples: Record<string, unknown>[];
  fits: ValidateFunction;
  answerFits: ValidateFunction;
  /** Actions that its `actions` argument may list, each with its arguments; null if it has no such argument. */
  steps: ReadonlyMap<string, ServedAction> | null;
}

export interface ActionsDocument {
  actions: { name: string; arguments: Schema; answer: Schema }[];
}

interface Operation {
  requestBody?: { content: { 'application/json': { examples?: Record<string, { value: Record<string, unknown> }> } } };
}

export interface OpenApi {
  paths: Record<string, { post?: Operation; get?: Operation & { parameters?: { name: string; schema: Schema }[] } }>;
  components: { schemas: Record<string, Schema> };
}

/** @throws if the service does not answer, or publishes a schema that does not compile */
export async function servedActions(base: string, apiKey: string): Promise<ServedAction[]> {
  const [actions, openApi] = await Promise.all([read(base, '/v1/actions', apiKey), servedOpenApi(base, apiKey)]);
  return actionsOf(actions as ActionsDocument, openApi);
}

export async function servedOpenApi(base: string, apiKey: string): Promise<OpenApi> {
  return (await read(base, '/v1/openapi.json', apiKey)) as OpenApi;
}

async function read(base: string, path: string, apiKey: string): Promise<unknown> {
  const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${apiKey}` }, signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return response.json();
}

export function actionsOf({ actions }: ActionsDocument, openApi: OpenApi): ServedAction[] {
  const compile = compiler();
  const made = actions.map(({ name, arguments: args, answer }): ServedAction => ({
    name,
    args,
    examples: examplesAt(openApi, pathOf(name)),
    fits: compile(args),
    answerFits: compile(answer),
    steps: null,
  }));
  return made.map((action) => {
    const names = stepNames(action.args);
    return names.length === 0
      ? action
      : { ...action, steps: new Map(made.filter(({ name }) => names.includes(name)).map((step) => [step.name, step])) };
  });
}

function pathOf(action: string): string {
  return `/v1/robots/{robot}/${action}`;
}

export function stepNames({ properties }: Schema): string[] {
  return (properties?.['actions']?.items?.properties?.['action']?.enum ?? []) as string[];
}

export function examplesAt({ paths }: OpenApi, path: string): Record<string, unknown>[] {
  const shown = paths[path]?.post?.requestBody?.content['application/json'].examples ?? {};
  return Object.values(shown).map(({ value }) => value);
}

export function compiler(): (schema: object) => ValidateFunction {
  const ajv = newAjv();
  return (schema) => ajv.compile(schema);
}

export function componentCompiler({ components }: Pick<OpenApi, 'components'>): (name: string) => ValidateFunction {
  const ajv = newAjv();
  ajv.addSchema({ $id: 'served', components });
  return (name) => ajv.compile({ $ref: `served#/components/schemas/${name}` });
}

function newAjv(): Ajv2020 {
  return new Ajv2020({ strict: false, strictNumbers: true, allErrors: true, validateFormats: false });
}

/** Returns the arguments that a failed validation is about, such as `regions[2].polygon`; '' is the whole body. */
export function faultyFields(errors: readonly ErrorObject[] | null | undefined): string[] {
  return [...new Set((errors ?? []).flatMap((error) => fieldsOf(error)))];
}

function fieldsOf({ instancePath, keyword, params }: ErrorObject): string[] {
  const at = fieldOf(instancePath);
  if (keyword === 'required') return [joined(at, (params as { missingProperty: string }).missingProperty)];
  if (keyword === 'additionalProperties') return [joined(at, (params as { additionalProperty: string }).additionalProperty)];
  return [at];
}

/** Converts `/regions/2/polygon` to `regions[2].polygon`. A numeric key of an object is read as an index: no argument has one. */
function fieldOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((raw) => raw.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : joined(path, key)), '');
}

/** An empty key is written as `""`. */
function joined(path: string, name: string): string {
  const key = name === '' ? '""' : name;
  return path === '' ? key : `${path}.${key}`;
}

/** Returns the validators of a robot's own commands, by name. @throws if the robot's state cannot be read */
export async function ownCommands(base: string, apiKey: string, robot: string): Promise<ReadonlyMap<string, (args: unknown) => boolean>> {
  const { commands } = (await read(base, `/v1/robots/${robot}`, apiKey)) as { commands: { name: string; args: object }[] };
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, validateFormats: false, ownProperties: true });
  return new Map(
    commands.map(({ name, args }) => {
      const fits = ajv.compile(args);
      return [name, (sent: unknown) => fits(sent)];
    }),
  );
}

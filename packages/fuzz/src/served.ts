/** What the running service says of itself: its actions with their schemas and examples. Every expectation follows from this. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Schema } from './generate/probes.js';

export interface ServedAction {
  name: string;
  args: Schema;
  /** Arguments that fit, as the description shows them. */
  examples: Record<string, unknown>[];
  fits: ValidateFunction;
  answerFits: ValidateFunction;
}

/** What `GET /v1/actions` answers, as far as it matters here. */
export interface ActionsDocument {
  actions: { name: string; arguments: Schema; answer: Schema }[];
}

/** What `GET /v1/openapi.json` answers, as far as it matters here. */
export interface OpenApi {
  paths: Record<
    string,
    { post?: { requestBody?: { content: { 'application/json': { examples?: Record<string, { value: Record<string, unknown> }> } } } } }
  >;
}

/** @throws where the service does not answer, or publishes a schema that does not compile */
export async function servedActions(base: string, apiKey: string): Promise<ServedAction[]> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(`${base}${path}`, { headers, signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw new Error(`${path} answers ${response.status}`);
    return response.json();
  };
  return actionsOf(...((await Promise.all([read('/v1/actions'), read('/v1/openapi.json')])) as [ActionsDocument, OpenApi]));
}

export function actionsOf({ actions }: ActionsDocument, { paths }: OpenApi): ServedAction[] {
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, allErrors: true, validateFormats: false });
  return actions.map(({ name, arguments: args, answer }) => {
    const shown = paths[`/v1/robots/{robot}/${name}`]?.post?.requestBody?.content['application/json'].examples ?? {};
    return { name, args, examples: Object.values(shown).map(({ value }) => value), fits: ajv.compile(args), answerFits: ajv.compile(answer) };
  });
}

/** The arguments that a failed validation is about: `regions[2].polygon`; '' is the whole. */
export function faultyFields(errors: readonly ErrorObject[] | null | undefined): string[] {
  return [...new Set((errors ?? []).flatMap((error) => fieldsOf(error)))];
}

function fieldsOf({ instancePath, keyword, params }: ErrorObject): string[] {
  const at = fieldOf(instancePath);
  if (keyword === 'required') return [joined(at, (params as { missingProperty: string }).missingProperty)];
  if (keyword === 'additionalProperties') return [joined(at, (params as { additionalProperty: string }).additionalProperty)];
  return [at];
}

/** `/regions/2/polygon` as `regions[2].polygon`. A key of digits in an object is read as an index: no argument has one. */
function fieldOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((raw) => raw.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : joined(path, key)), '');
}

/** A key without a name is told as `""`. */
function joined(path: string, name: string): string {
  const key = name === '' ? '""' : name;
  return path === '' ? key : `${path}.${key}`;
}

/**
 * Rules of OpenAI for functions: the guide "Structured Outputs", section "Supported schemas" (developers.openai.com/api/docs/guides/structured-outputs), for
 * those that are sent with `strict`; for others, that parameters are an object and its arrays have `items` ("array schema missing items").
 */
import { isJson, type Json, type Problems } from './json.js';

const unsupported = [
  'allOf',
  'oneOf',
  'not',
  'dependentRequired',
  'dependentSchemas',
  'if',
  'then',
  'else',
  'patternProperties',
  'unevaluatedProperties',
];
const depthMax = 10;
const propertiesMax = 5000;

interface Counts {
  properties: number;
}

/** @param declaration with `name`, `parameters` and `strict`, as in the body of a request */
export function openaiProblems({ name, parameters, strict }: Json): Problems {
  const problems = /^[\w-]{1,64}$/.test(String(name)) ? [] : [`name: ${String(name)}`];
  if (!isJson(parameters)) return [...problems, 'parameters: are missing'];
  if (parameters['type'] !== 'object') problems.push('parameters: are not an object');
  const counts = { properties: 0 };
  problems.push(...problemsOf(parameters, 'parameters', strict === true, counts, 1));
  if (counts.properties > propertiesMax) problems.push(`parameters: ${counts.properties} properties`);
  return problems;
}

function problemsOf(schema: Json, path: string, isStrict: boolean, counts: Counts, depth: number): Problems {
  const problems: Problems = [];
  const { properties, items, anyOf, required } = schema;
  const types = [schema['type']].flat();
  const names = isJson(properties) ? Object.keys(properties) : [];
  counts.properties += names.length;
  if (types.includes('array') && !isJson(items)) problems.push(`${path}: array schema missing items`);
  if (isStrict) {
    for (const keyword of unsupported) if (schema[keyword] !== undefined) problems.push(`${path}: ${keyword} is not permitted`);
    if (depth > depthMax) problems.push(`${path}: more than ${depthMax} levels`);
    if (types.includes('object')) {
      if (schema['additionalProperties'] !== false) problems.push(`${path}: additionalProperties is required to be false`);
      const missing = names.filter((name) => !(Array.isArray(required) && required.includes(name)));
      if (missing.length > 0) problems.push(`${path}: required lacks ${missing.join(', ')}`);
    }
  }
  const below = (each: unknown, at: string): void => {
    if (isJson(each)) problems.push(...problemsOf(each, at, isStrict, counts, depth + 1));
  };
  if (isJson(properties)) for (const [name, each] of Object.entries(properties)) below(each, `${path}.${name}`);
  below(items, `${path}[]`);
  if (Array.isArray(anyOf)) for (const each of anyOf) below(each, `${path}|`);
  return problems;
}

/**
 * Rules of the Gemini API for declared functions. Fields: `Schema` and `FunctionDeclaration` of npm's @google/genai 2.32.0 (dist/genai.d.ts), which Google
 * generates from the API; a field that is not among them is answered 400 for the whole turn. Rules between fields, as the API words them in its answers:
 * "should be non-empty for OBJECT type" (MarkusPfundstein/mcp-obsidian#21), "only allowed for OBJECT type" (anomalyco/opencode#11889), "Proto field is not
 * repeating" for a list of types (n8n-io/n8n#15553).
 */
import { isJson, type Json, type Problems } from './json.js';

const fields = new Set([
  ...[
    'anyOf',
    'default',
    'description',
    'enum',
    'example',
    'format',
    'items',
    'maxItems',
    'maxLength',
    'maxProperties',
    'maximum',
    'minItems',
    'minLength',
  ],
  ...['minProperties', 'minimum', 'nullable', 'pattern', 'properties', 'propertyOrdering', 'required', 'title', 'type'],
]);
const types = new Set(['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT']);

/** Problems of one entry of `tools[].functionDeclarations` in the body of a request. */
export function geminiProblems(declaration: Json): Problems {
  const { name, parameters, parametersJsonSchema } = declaration;
  const problems = /^[A-Za-z_][\w.:-]{0,127}$/.test(String(name)) ? [] : [`name: ${String(name)}`];
  if (parameters !== undefined && parametersJsonSchema !== undefined) problems.push('parameters and parametersJsonSchema exclude each other');
  // JSON Schema as it is; the API demands an object.
  if (isJson(parametersJsonSchema) && parametersJsonSchema['type'] !== 'object') problems.push('parametersJsonSchema: is not an object');
  return isJson(parameters) ? [...problems, ...problemsOf(parameters, 'parameters')] : problems;
}

function problemsOf(schema: Json, path: string): Problems {
  const problems = Object.keys(schema)
    .filter((field) => !fields.has(field))
    .map((field) => `${path}: unknown field ${field}`);
  const { type, properties, required, items, anyOf } = schema;
  const isType = typeof type === 'string' && types.has(type.toUpperCase());
  if (!isType && !(type === undefined && Array.isArray(anyOf))) problems.push(`${path}: type ${JSON.stringify(type)}`);
  const kind = isType ? type.toUpperCase() : '';
  const names = isJson(properties) ? Object.keys(properties) : [];
  if (kind === 'OBJECT' && names.length === 0) problems.push(`${path}.properties: should be non-empty for OBJECT type`);
  if (kind !== 'OBJECT' && (properties !== undefined || required !== undefined)) problems.push(`${path}: properties of ${kind}`);
  if (kind === 'ARRAY' && !isJson(items)) problems.push(`${path}.items: missing field`);
  if (Array.isArray(required))
    for (const name of required) if (!names.includes(String(name))) problems.push(`${path}.required: ${String(name)} is no property`);
  for (const each of Array.isArray(schema['enum']) ? schema['enum'] : [])
    if (typeof each !== 'string') problems.push(`${path}.enum: ${String(each)} is no text`);
  if (isJson(properties)) for (const [name, each] of Object.entries(properties)) problems.push(...problemsOf(each as Json, `${path}.${name}`));
  if (isJson(items)) problems.push(...problemsOf(items, `${path}[]`));
  if (Array.isArray(anyOf)) for (const each of anyOf) problems.push(...problemsOf(each as Json, `${path}|`));
  return problems;
}

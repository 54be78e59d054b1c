/** The fields of a JSON Schema as rows of a Markdown table: name, type with limits, whether it is required, description. */
import { row } from './markdown.js';

export interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  description?: string;
  default?: unknown;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  contentMediaType?: string;
  format?: string;
}

/** Objects inside follow their field, with its name before theirs: `countdown.seconds`, `items[].label`. */
export function fieldTable(schema: Schema): string {
  const rows = fieldRows(schema, '');
  return ['| field | type | | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function fieldRows({ properties = {}, required = [] }: Schema, before: string): string[] {
  return Object.entries(properties).flatMap(([name, field]) => [
    row([`\`${before}${name}\``, typeOf(field), required.includes(name) ? 'required' : 'optional', meaningOf(field)]),
    ...objectsIn(field, `${before}${name}`).flatMap(([inside, at]) => fieldRows(inside, `${at}.`)),
  ]);
}

function objectsIn(schema: Schema, at: string): [schema: Schema, at: string][] {
  if (schema.properties !== undefined) return [[schema, at]];
  if (schema.items !== undefined) return objectsIn(schema.items, `${at}[]`);
  return alternativesOf(schema).flatMap((each) => objectsIn(each, at));
}

function alternativesOf({ anyOf = [], oneOf = [] }: Schema): readonly Schema[] {
  return [...anyOf, ...oneOf];
}

function meaningOf({ description = '', default: value }: Schema): string {
  const standard = value === undefined || /\bdefault\b/i.test(description) ? '' : `Default \`${JSON.stringify(value)}\`.`;
  return [description, standard].filter((part) => part !== '').join(' ');
}

export function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return [...new Set(alternatives.map(typeOf))].join(' or ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}${limitsOf(schema.minItems, schema.maxItems, '')}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any value');
  const form = schema.format === 'date-time' ? ' (RFC 3339)' : schema.contentMediaType === undefined ? '' : ' (picture)';
  return `${type}${form}${limitsOf(schema.minLength, schema.maxLength, ' characters')}${range(schema)}`;
}

function limitsOf(min: number | undefined, max: number | undefined, unit: string): string {
  if (max === undefined) return min === undefined || min < 2 ? '' : `, at least ${min}${unit}`;
  return min === max ? `, ${max}${unit}` : `, ${min ?? 0} to ${max}${unit}`;
}

function range({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const from = minimum !== undefined ? `from ${minimum}` : exclusiveMinimum !== undefined ? `over ${exclusiveMinimum}` : '';
  const to = maximum === undefined ? '' : `up to ${maximum}`;
  return [from, to].some((part) => part !== '') ? `, ${[from, to].filter((part) => part !== '').join(' ')}` : '';
}

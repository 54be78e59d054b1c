/** Fields of a form, from the JSON Schema of its arguments. A construct that the API's schemas do not use becomes a field that takes JSON. */

export interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: JsonSchema;
  enum?: string[];
  anyOf?: JsonSchema[];
  pattern?: string;
  contentEncoding?: string;
  contentMediaType?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  description?: string;
  examples?: unknown[];
  /** Of the service's own pages, absent in schemas of a service before 0.11.0. */
  'x-group'?: string;
  'x-picker'?: string;
}

export interface Field {
  name: string;
  required: boolean;
  /** May be empty. */
  help: string;
  /** Default as text; empty: none. */
  fallback: string;
  /** Example as text, shown while the field is empty; may be empty. */
  example: string;
  /** Heading behind "More"; null: always shown. */
  group: string | null;
  shape: Shape;
}

export type Shape =
  /** `picker`: a list from which the text may be chosen. */
  | { kind: 'text'; charsMax: number | null; picker?: 'icon' | 'language' }
  | NumberShape
  | { kind: 'flag' }
  /** `isHeard`: the options are sounds. */
  | { kind: 'choice'; options: readonly string[]; isHeard?: true }
  | { kind: 'choices'; options: readonly string[] }
  /** `names`: colour names accepted in place of `#rrggbb`. */
  | { kind: 'color'; names: readonly string[] }
  | { kind: 'picture' }
  | ListShape
  | { kind: 'object'; fields: readonly Field[] }
  | { kind: 'regions'; max: number; pointsMax: number }
  | { kind: 'json' };

export interface NumberShape {
  kind: 'number';
  min: number | null;
  max: number | null;
  whole: boolean;
}

export interface ListShape {
  kind: 'list';
  item: Shape;
  min: number;
  max: number;
}

/** Returns the fields in the order of the schema. @param schema a plain object schema */
export function fieldsOf({ properties = {}, required = [] }: JsonSchema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    help: helpOf(schema),
    fallback: fallbackOf(schema),
    example: exampleOf(schema),
    group: schema['x-group'] ?? null,
    shape: shapeOf(schema),
  }));
}

function shapeOf(schema: JsonSchema): Shape {
  switch (schema.type) {
    case 'string':
      return textShape(schema);
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        min: schema.minimum ?? schema.exclusiveMinimum ?? null,
        max: schema.maximum ?? null,
        whole: schema.type === 'integer',
      };
    case 'boolean':
      return { kind: 'flag' };
    case 'array':
      return listShape(schema);
    case 'object':
      return schema.properties === undefined || schema.additionalProperties === true
        ? { kind: 'json' }
        : { kind: 'object', fields: fieldsOf(schema) };
    default:
      return objectAmong(schema.anyOf) ?? { kind: 'json' };
  }
}

function textShape({ enum: options, pattern, contentEncoding, contentMediaType, maxLength, 'x-picker': picker }: JsonSchema): Shape {
  if (options !== undefined) return { kind: 'choice', options, ...(picker === 'chime' ? { isHeard: true } : {}) };
  if (contentMediaType === 'image/*' || contentEncoding === 'base64') return { kind: 'picture' };
  const color = /^\^\(#\[0-9a-fA-F\]\{6\}\|([a-z|]+)\)\$$/.exec(pattern ?? '');
  if (color !== null) return { kind: 'color', names: color[1]!.split('|') };
  const isPicked = picker === 'icon' || picker === 'language';
  return { kind: 'text', charsMax: maxLength ?? null, ...(isPicked ? { picker } : {}) };
}

function listShape({ items = {}, minItems = 0, maxItems = Infinity }: JsonSchema): Shape {
  const shapes = items.properties;
  if (shapes?.['rect'] !== undefined && shapes['circle'] !== undefined && shapes['polygon'] !== undefined) {
    return { kind: 'regions', max: maxItems, pointsMax: shapes['polygon'].maxItems ?? Infinity };
  }
  const item = shapeOf(items);
  if (item.kind === 'choice') return { kind: 'choices', options: item.options };
  if (item.kind === 'json' || (item.kind === 'object' && maxItems === Infinity)) return { kind: 'json' };
  return { kind: 'list', item, min: minItems, max: maxItems };
}

/** Returns the object branch of a union with a string, since the object can express everything that the string can. */
function objectAmong(branches: readonly JsonSchema[] = []): Shape | null {
  const object = branches.find(({ type, properties }) => type === 'object' && properties !== undefined);
  return object === undefined ? null : shapeOf(object);
}

/** Removes hints on how to write colours and pictures, which the form selects with a picker and a file. */
function helpOf({ description = '' }: JsonSchema): string {
  return description.replace(/ ?#rrggbb or a name: .*$/, '').replace(/ A data: prefix .*$/, '');
}

function exampleOf({ examples: [example] = [] }: JsonSchema): string {
  return example === undefined ? '' : typeof example === 'string' ? example : JSON.stringify(example);
}

function fallbackOf({ default: value }: JsonSchema): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

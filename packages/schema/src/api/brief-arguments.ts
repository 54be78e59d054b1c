/**
 * Schemas of arguments as tools publish them, described by the texts of `tool-texts.ts`: in the part of JSON Schema that every converter to a model's
 * format takes. The actions' own schemas, by which arguments are checked, have every bound.
 */
import { isObject } from '../values/is-object.js';
import type { ToolText, UsualType } from './tool-texts.js';

type Schema = Record<string, unknown>;
type Texts = Readonly<Record<string, string>>;

/**
 * @param texts by argument; fields of an object or of a list's entries after a dot
 * @param usual fields of arguments that take any; they stay open, which also keeps strict modes from closing them
 */
export function briefArguments(schema: object, texts: Texts, usual: NonNullable<ToolText['usual']> = {}): Schema {
  const brief = withTexts(plainCopy(schema), '', texts);
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
 * Gemini refuses exclusive bounds and media types, which LangChain and n8n pass on to it; llama.cpp and LM Studio refuse every tool for a pattern with a
 * group `(?:` or a class such as `\s`; Gemini and strict modes know no type null.
 */
function portable(schema: Schema): Schema {
  const { contentMediaType: _, exclusiveMinimum, minProperties: __, maxProperties: ___, pattern, anyOf, ...rest } = schema;
  const others = Array.isArray(anyOf) ? (anyOf as Schema[]).filter(({ type }) => type !== 'null') : [];
  return {
    ...rest,
    ...(others.length === 1 ? others[0] : others.length > 1 ? { anyOf: others } : {}),
    ...(exclusiveMinimum === undefined ? {} : { minimum: exclusiveMinimum }),
    ...(typeof pattern === 'string' && !unportable.test(pattern) ? { pattern } : {}),
  };
}

const unportable = /\(\?|\\/;

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

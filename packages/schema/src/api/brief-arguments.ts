/** Schemas of arguments as tools publish them: with every limit and enum, described by the texts of `tool-texts.ts`. */
import { isObject } from '../values/is-object.js';

type Schema = Record<string, unknown>;
type Texts = Readonly<Record<string, string>>;

/** @param texts by argument; fields of an object or of a list's entries after a dot */
export function briefArguments(schema: object, texts: Texts): Schema {
  return withTexts(plainCopy(schema), '', texts);
}

/** Replaces all descriptions below a schema. Entries of lists and alternatives have no text of their own. */
function withTexts(schema: Schema, path: string, texts: Texts): Schema {
  const { description: _, properties, items, anyOf, ...rest } = schema;
  const below = (each: Schema): Schema => withTexts(each, path, texts);
  return {
    ...rest,
    ...(isObject(properties) ? { properties: propertiesWithTexts(properties, path, texts) } : {}),
    ...(isObject(items) ? { items: below(items) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: (anyOf as Schema[]).map(below) } : {}),
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

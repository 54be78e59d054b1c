/** Lists the fields of a schema, and those of what it contains. */
import { disclosure, element, example, prose } from './element.js';
import { referredName, type Components, type Parameter, type Schema } from './openapi.js';
import { limitsOf, typeOf } from './schema-words.js';

interface Field {
  name: string;
  schema: Schema;
  required: boolean;
  description?: string | undefined;
  /** Place of a parameter in the request. */
  place?: string;
  example?: unknown;
}

/** @returns what is below a schema: its own fields, those of its items, or its alternatives; empty: nothing */
export function fieldsBelow(schema: Schema, components: Components): HTMLElement[] {
  const name = referredName(schema);
  if (name !== null) {
    const target = components.resolve(schema);
    if (!hasFields(target)) return [];
    // Opened on demand: some contain themselves.
    return [disclosure('details.docs-nested', [`Fields of ${name}`], () => fieldsBelow(target, components)).part];
  }
  if (schema.allOf !== undefined) return schema.allOf.flatMap((each) => fieldsBelow(each, components));
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []).flatMap((each) => fieldsBelow(each, components));
  if (alternatives.length > 0) return alternatives;
  if (schema.properties !== undefined) {
    const { properties, required = [] } = schema;
    const fields = Object.entries(properties).map(([field, value]) => ({ name: field, schema: value, required: required.includes(field) }));
    return [fieldList(fields, components)];
  }
  if (schema.items !== undefined) return fieldsBelow(schema.items, components);
  return typeof schema.additionalProperties === 'object' ? fieldsBelow(schema.additionalProperties, components) : [];
}

export function parameterList(parameters: readonly Parameter[], components: Components): HTMLElement {
  const fields = parameters.map(({ required = false, in: place, ...parameter }) => ({ ...parameter, required, place }));
  return fieldList(fields, components);
}

export function fieldList(fields: readonly Field[], components: Components): HTMLElement {
  return element('ul.docs-fields', ...fields.map((field) => fieldItem(field, components)));
}

function fieldItem({ name, schema, required, description, place, example: value }: Field, components: Components): HTMLElement {
  const target = components.resolve(schema);
  const notes = [...(place === undefined ? [] : [`in ${place}`]), ...limitsOf(target)];
  return element(
    'li',
    element('code.docs-field', name),
    ' ',
    element('span.docs-type', typeOf(schema, components)),
    required ? ' ' : null,
    required ? element('span.docs-required', 'required') : null,
    notes.length === 0 ? null : element('span.docs-notes', ` ${notes.join(' · ')}`),
    ...prose(description ?? schema.description ?? target.description),
    value === undefined ? null : element('p', 'Example: ', element('code', typeof value === 'string' ? value : JSON.stringify(value))),
    ...fieldsBelow(schema, components),
  );
}

function hasFields({ properties, anyOf, oneOf, allOf, items }: Schema): boolean {
  return [properties, anyOf, oneOf, allOf, items].some((part) => part !== undefined);
}

/** Shows the first example, and the others once they are asked for. */
export function exampleList(values: readonly unknown[]): HTMLElement[] {
  const [first, ...others] = values;
  if (first === undefined) return [];
  const summary = others.length === 1 ? 'One more example' : `${others.length} more examples`;
  const more = element('details.docs-nested', element('summary', summary), ...others.map(example));
  return [element('h5', 'Example'), example(first), ...(others.length === 0 ? [] : [more])];
}

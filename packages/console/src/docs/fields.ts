/** Lists the fields of a schema, and those of what it contains. */
import { disclosure, element, example, inline, prose } from './element.js';
import { referredName, type Components, type Parameter, type Schema } from './openapi.js';
import { limitsOf, otherFields, rulesOf, typeOf, valuesOf } from './schema-words.js';

interface Field {
  name: string;
  schema: Schema;
  required: boolean;
  description?: string | undefined;
  /** Place of a parameter in the request. */
  place?: string;
  example?: unknown;
}

/**
 * @param described description that is shown already
 * @returns what is below a schema: rules and fields of its own, what is below its items, or its alternatives; empty: nothing
 */
export function fieldsBelow(schema: Schema, components: Components, described?: string): HTMLElement[] {
  const name = referredName(schema);
  if (name !== null) {
    const target = components.resolve(schema);
    if (!hasFields(target)) return [];
    const { description } = target;
    // Opened on demand: some contain themselves.
    return [
      disclosure('details.docs-nested', [`Fields of ${name}`], () => [
        ...(description === described ? [] : prose(description)),
        ...fieldsBelow(target, components),
      ]).part,
    ];
  }
  const { allOf, properties, required = [], items, additionalProperties } = schema;
  if (allOf !== undefined) return allOf.flatMap((each) => fieldsBelow(each, components));
  const rules = rulesOf(schema);
  const below = rules.length === 0 ? [] : [element('p.docs-rules', ...inline(rules.join(' ')))];
  const values = valuesOf(schema);
  if (values.length > 0) return [...below, ...alternativeParts(values, components)];
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([field, value]) => ({ name: field, schema: value, required: required.includes(field) }));
    const others = otherFields(schema);
    return [...below, fieldList(fields, components), ...(others === null ? [] : [element('p.docs-rules', others)])];
  }
  if (items !== undefined) return [...below, ...prose(items.description), ...fieldsBelow(items, components)];
  return typeof additionalProperties === 'object' ? [...below, ...fieldsBelow(additionalProperties, components)] : below;
}

/** Several alternatives are a list, in which each has its limits; the limits of a single one are those of its field. */
function alternativeParts(values: readonly Schema[], components: Components): HTMLElement[] {
  const parts = values.flatMap((each) => fieldsBelow(each, components));
  const areNamed = values.every((each) => hasFields(components.resolve(each)) && referredName(each) !== null);
  if (values.length === 1 || areNamed || (parts.length === 0 && values.every((each) => isPlain(components.resolve(each), components)))) return parts;
  return [
    element(
      'ul.docs-fields',
      ...values.map((each) => {
        const target = components.resolve(each);
        return element(
          'li',
          element('span.docs-type', typeOf(each, components)),
          notesPart(limitsOf(target, components)),
          ...prose(target.description),
          ...fieldsBelow(each, components, target.description),
        );
      }),
    ),
  ];
}

function isPlain(schema: Schema, components: Components): boolean {
  return schema.description === undefined && limitsOf(schema, components).length === 0;
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
  const text = description ?? schema.description ?? target.description;
  const values = value === undefined ? (schema.examples ?? target.examples ?? []) : [value];
  return element(
    'li',
    element('code.docs-field', name),
    ' ',
    element('span.docs-type', typeOf(schema, components)),
    required ? ' ' : null,
    required ? element('span.docs-required', 'required') : null,
    notesPart([...(place === undefined ? [] : [`in ${place}`]), ...limitsOf(target, components)]),
    ...prose(text),
    ...values.map((each) => element('p', 'Example: ', element('code', typeof each === 'string' ? each : JSON.stringify(each)))),
    ...fieldsBelow(schema, components, text),
  );
}

function notesPart(notes: readonly string[]): HTMLElement | null {
  return notes.length === 0 ? null : element('span.docs-notes', ` ${notes.join(' · ')}`);
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

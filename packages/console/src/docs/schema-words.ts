/** Says in words what values a schema accepts. */
import { referredName, type Components, type Schema } from './openapi.js';

export function typeOf(schema: Schema, components: Components): string {
  const name = referredName(schema);
  if (name !== null) {
    const target = components.resolve(schema);
    return target.properties === undefined && target.oneOf === undefined ? typeOf(target, components) : name;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return [...new Set(alternatives.map((each) => typeOf(each, components)))].join(' or ');
  if (schema.type === 'array') return schema.items === undefined ? 'array' : `array of ${typeOf(schema.items, components)}`;
  if (schema.type === undefined) return schema.allOf === undefined ? 'any value' : 'object';
  if (typeof schema.type !== 'string') return schema.type.join(' or ');
  const { additionalProperties: values } = schema;
  return typeof values === 'object' ? `${schema.type} of ${typeOf(values, components)}` : schema.type;
}

/** Returns the schemas of which a value fits one; none: the schema has no alternatives, or those only list required fields. */
export function alternativesOf(schema: Schema): readonly Schema[] {
  const { anyOf, oneOf } = schema;
  return requiredChoices(schema).length > 0 ? [] : (anyOf ?? oneOf ?? []);
}

/** Returns the alternatives that have a value: all but null. */
export function valuesOf(schema: Schema): readonly Schema[] {
  return alternativesOf(schema).filter(({ type }) => type !== 'null');
}

/** Returns limits, each in a few words, those of the items of a list and of the only alternative to null included. */
export function limitsOf(schema: Schema, components: Components): string[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, format, pattern, contentMediaType, contentEncoding } = schema;
  const [only, ...others] = valuesOf(schema);
  return [
    exclusiveMinimum === undefined ? range(minimum, maximum, '') : `above ${exclusiveMinimum}${maximum === undefined ? '' : `, at most ${maximum}`}`,
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    ...(schema.items === undefined ? [] : limitsOf(components.resolve(schema.items), components).map((limit) => `each ${limit}`)),
    ...(only === undefined || others.length > 0 ? [] : limitsOf(components.resolve(only), components)),
    format ?? '',
    contentMediaType ?? '',
    contentEncoding ?? '',
    pattern === undefined ? '' : `matches ${pattern}`,
  ].filter((text) => text !== '');
}

/** Returns sentences about the fields of an object as a whole. */
export function rulesOf(schema: Schema): string[] {
  const { minProperties, maxProperties, discriminator } = schema;
  const choices = requiredChoices(schema).map((names) => names.map((name) => `\`${name}\``).join(' with '));
  const exactly = minProperties !== undefined && minProperties === maxProperties ? 'exactly ' : '';
  const count = `${exactly}${range(minProperties, maxProperties, ' fields')}`;
  return [
    choices.length === 0 ? '' : `At least one of ${choices.join(', ')}.`,
    count === '' ? '' : `${count[0]!.toUpperCase()}${count.slice(1)}.`,
    discriminator === undefined ? '' : `The field \`${discriminator.propertyName}\` tells which of them it is.`,
  ].filter((text) => text !== '');
}

/** Says whether an object may have fields that are not listed; null: the schema does not say. */
export function otherFields({ additionalProperties }: Schema): string | null {
  if (additionalProperties === false) return 'No other fields.';
  return additionalProperties === true ? 'Other fields may follow.' : null;
}

/** Returns the lists of fields of which one must be complete. */
function requiredChoices({ anyOf = [] }: Schema): (readonly string[])[] {
  const areLists = anyOf.every((each) => Object.keys(each).join() === 'required');
  return areLists ? anyOf.map(({ required = [] }) => required) : [];
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return '';
  const units = (max ?? min) === 1 ? unit.replace(/s$/, '') : unit;
  if (min === undefined) return `at most ${max}${units}`;
  if (max === undefined) return `at least ${min}${units}`;
  return min === max ? `${min}${units}` : `${min} to ${max}${units}`;
}

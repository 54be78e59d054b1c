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
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map((each) => typeOf(each, components)))].join(' or ');
  if (schema.type === 'array') return schema.items === undefined ? 'array' : `array of ${typeOf(schema.items, components)}`;
  if (schema.type === undefined) return schema.allOf === undefined ? 'any value' : 'object';
  return typeof schema.type === 'string' ? schema.type : schema.type.join(' or ');
}

/** Returns limits and defaults, each in a few words. */
export function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, format, pattern, contentMediaType } = schema;
  return [
    exclusiveMinimum === undefined ? range(minimum, maximum, '') : `above ${exclusiveMinimum}${maximum === undefined ? '' : `, at most ${maximum}`}`,
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    format ?? '',
    contentMediaType ?? '',
    pattern === undefined ? '' : `matches ${pattern}`,
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter((text) => text !== '');
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return '';
  const units = (max ?? min) === 1 ? unit.replace(/s$/, '') : unit;
  if (min === undefined) return `at most ${max}${units}`;
  if (max === undefined) return `at least ${min}${units}`;
  return min === max ? `${min}${units}` : `${min} to ${max}${units}`;
}

import type { OpenAPIV3_1 } from 'openapi-types';

type Parameter = OpenAPIV3_1.ParameterObject;

export function queryParameter(name: string, schema: object, more: Partial<Parameter> = {}): Parameter {
  const { description, ...rest } = withoutDefault(schema) as { description?: string };
  return { name, in: 'query', required: false, ...(description === undefined ? {} : { description }), schema: rest, ...more };
}

/** Generators such as openapi-typescript require a member of a request that has a default. Descriptions say the default in words. */
export function withoutDefault(schema: object): object {
  const { default: _, ...rest } = schema as { default?: unknown };
  return rest;
}

import type { OpenAPIV3_1 } from 'openapi-types';

type Parameter = OpenAPIV3_1.ParameterObject;

export function queryParameter(name: string, schema: object, more: Partial<Parameter> = {}): Parameter {
  const { description, ...rest } = schema as { description?: string };
  return { name, in: 'query', required: false, ...(description === undefined ? {} : { description }), schema: rest, ...more };
}

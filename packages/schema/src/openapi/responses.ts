import type { OpenAPIV3_1 } from 'openapi-types';
import { errorCodes, nextRequests, type ErrorCode } from '../base/error.js';
import { errorStatuses } from '../api/failure.js';

type Response = OpenAPIV3_1.ResponseObject;
type Reference = OpenAPIV3_1.ReferenceObject;
type Headers = Record<string, Reference>;

export const rateHeaders: Headers = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimit-Policy' },
};
const retryHeader: Headers = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };

/** Statuses that may occur before the key is known, or without counting against its rate limit. */
const withoutRate = new Set([401, 500]);

export function answers(description: string, schemaName: string, counted: boolean, examples?: Record<string, { value: unknown }>): Response {
  return {
    description,
    ...(counted ? { headers: rateHeaders } : {}),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName}` }, ...(examples === undefined ? {} : { examples }) } },
  };
}

const bodyStatuses = [413, 415];

/** Allows each endpoint any status, as the interface does, except those about a body for requests without one. */
export function failures(withBody: boolean): Record<string, Reference> {
  const statuses = errorStatuses.filter((status) => withBody || !bodyStatuses.includes(status));
  return Object.fromEntries(statuses.map((status) => [String(status), { $ref: `#/components/responses/Failure${status}` }]));
}

export const failureResponses: Record<string, Response> = Object.fromEntries(
  errorStatuses.map((status) => {
    const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => errorCodes[code].status === status);
    const headers = {
      ...(withoutRate.has(status) ? {} : rateHeaders),
      ...(status === 429 || status === 503 ? retryHeader : {}),
    };
    const response: Response = {
      description: codes.map((code) => errorCodes[code].title).join(' '),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Failure' },
          examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
        },
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      },
    };
    return [`Failure${status}`, response];
  }),
);

function example(code: ErrorCode): Record<string, unknown> {
  const next = nextRequests[code];
  const failure = { ok: false, error: errorCodes[code].title, code, request_id: 'q-4n7r2k9d1m', ...(next === undefined ? {} : { next }) };
  return code === 'bad_argument' ? { ...failure, error: 'regions[2].polygon: at least 3 points', field: 'regions[2].polygon' } : failure;
}

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

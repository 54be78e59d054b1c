/** The parts of the service's OpenAPI document that the reference shows. */

export interface OpenApi {
  info: { title: string; version: string; description: string };
  servers: readonly { url: string }[];
  tags: readonly { name: string; description: string }[];
  paths: Record<string, PathItem>;
  webhooks: Record<string, PathItem>;
  components: Record<string, Record<string, unknown>>;
}

export type PathItem = Partial<Record<Method, Operation>> & { parameters?: readonly (Parameter | Reference)[] };

export const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof methods)[number];

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags: readonly string[];
  parameters?: readonly (Parameter | Reference)[];
  requestBody?: { required?: boolean; description?: string; content: Content };
  responses: Record<string, Response | Reference>;
}

export interface Reference {
  $ref: string;
}

export interface Parameter extends Header {
  name: string;
  in: string;
}

export interface Header {
  description?: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

export interface Response {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Content;
}

export type Content = Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }>;

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  additionalProperties?: boolean | Schema;
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  contentMediaType?: string;
  contentEncoding?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  discriminator?: { propertyName: string };
  examples?: readonly unknown[];
}

/** Follows references of a document. */
export class Components {
  readonly #document: OpenApi;

  constructor(document: OpenApi) {
    this.#document = document;
  }

  /** Returns the part itself, or what it refers to. */
  resolve<T extends object>(part: T | Reference): T {
    if (!('$ref' in part) || part.$ref === undefined) return part as T;
    const [kind, name] = part.$ref.split('/').slice(-2);
    return this.#document.components[kind!]![name!] as T;
  }
}

export function referredName({ $ref }: Schema): string | null {
  return $ref === undefined ? null : $ref.slice($ref.lastIndexOf('/') + 1);
}

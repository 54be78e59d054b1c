import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  actions,
  actionsDocument,
  ApiError,
  eventNames,
  openApiDocument,
  previewedActions,
  tools,
  validateArgs,
  webhookPayload,
} from '../src/index.js';
import { lint } from './redocly.js';

interface Media {
  schema: { $ref: string };
  examples?: Record<string, { value: unknown }>;
}
interface Answer {
  $ref?: string;
  headers?: Record<string, unknown>;
  content: Record<string, Media>;
}
interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; style?: string; explode?: boolean }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Answer>;
}
type PathItem = { parameters?: unknown[]; get?: Operation; post?: Operation; patch?: Operation; delete?: Operation };

const document = openApiDocument('https://robots.test') as unknown as {
  openapi: string;
  info: { version: string; license: { identifier: string } };
  servers: { url: string }[];
  security: unknown;
  paths: Record<string, PathItem>;
  webhooks: Record<string, PathItem>;
  components: { schemas: Record<string, Record<string, unknown>>; responses: Record<string, Answer>; securitySchemes: Record<string, unknown> };
};
const operations = Object.entries(document.paths).flatMap(([path, { get, post, patch, delete: remove }]) => [
  ...(patch === undefined ? [] : [{ path, method: 'PATCH', operation: patch }]),
  ...(remove === undefined ? [] : [{ path, method: 'DELETE', operation: remove }]),
  ...(get === undefined ? [] : [{ path, method: 'GET', operation: get }]),
  ...(post === undefined ? [] : [{ path, method: 'POST', operation: post }]),
]);

/** One for all schemas: most of them refer to the same others. */
const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, date: true } });
ajv.addSchema({ ...(document as object), $id: 'https://robots.test/openapi' });

function validator(name: string): (value: unknown) => boolean {
  const fits = ajv.getSchema(`https://robots.test/openapi#/components/schemas/${name}`)!;
  return (value) => fits(value) === true;
}
const schemaName = ({ schema }: Media) => schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);

describe('the OpenAPI description', () => {
  it('has the version, licence, server and security of the interface', () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.equal(document.info.version, 'v0.9.0');
    assert.equal(document.info.license.identifier, 'Apache-2.0');
    assert.deepEqual(document.servers, [{ url: 'https://robots.test' }]);
    assert.deepEqual(document.security, [{ apiKey: [] }]);
    assert.deepEqual((document.components.securitySchemes['apiKey'] as { type: string; scheme: string }).scheme, 'bearer');
  });

  it('contains exactly the 13 actions, the 2 compounds, the 7 reads, the 4 previews, the upload of pictures, the call to a group, the 10 webhook operations, the 3 reads of the activity and the 3 operations on waits', () => {
    const expected = [
      'GET /v1/actions',
      'GET /v1/activity',
      'GET /v1/activity/export',
      'GET /v1/activity/usage',
      'GET /v1/icons',
      'GET /v1/openapi.json',
      'GET /v1/robots',
      'GET /v1/robots/{robot}',
      'GET /v1/robots/{robot}/events',
      'GET /v1/robots/{robot}/screen',
      ...previewedActions.map((name) => `POST /v1/robots/{robot}/preview/${name}`),
      ...actions.map(({ name }) => `POST /v1/robots/{robot}/${name}`),
      'POST /v1/robots/{robot}/stop',
      'POST /v1/robots/{robot}/scene',
      'POST /v1/pictures',
      'POST /v1/groups/{label}/{action}',
      ...['GET', 'DELETE'].map((method) => `${method} /v1/waits/{wait}`),
      'DELETE /v1/robots/{robot}/wait',
      ...['GET', 'POST'].map((method) => `${method} /v1/webhooks`),
      ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /v1/webhooks/{webhook}`),
      'POST /v1/webhooks/{webhook}/secret',
      'POST /v1/webhooks/{webhook}/test',
      'GET /v1/webhooks/{webhook}/deliveries',
      'GET /v1/webhooks/{webhook}/deliveries/{delivery}',
      'POST /v1/webhooks/{webhook}/deliveries/{delivery}/replay',
    ];
    assert.equal(expected.length, 44);
    assert.deepEqual(operations.map(({ method, path }) => `${method} ${path}`).sort(), expected.sort());
    assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, 44);
  });

  it('declares every parameter of each path', () => {
    for (const [path, item] of Object.entries(document.paths)) assert.equal(item.parameters !== undefined, path.includes('{'), path);
  });

  it('gives every operation every status of the interface, with the failure schema', () => {
    for (const { method, path, operation } of operations) {
      const statuses = Object.keys(operation.responses).filter((status) => status !== '200');
      const expected = [
        '400',
        '401',
        '403',
        '404',
        '405',
        ...(operation.requestBody === undefined ? [] : ['413', '415']),
        '429',
        '500',
        '501',
        '503',
      ];
      assert.deepEqual(statuses, expected, `${method} ${path}`);
      for (const status of statuses) {
        const { $ref } = operation.responses[status]!;
        const response = document.components.responses[$ref!.slice($ref!.lastIndexOf('/') + 1)]!;
        assert.equal(schemaName(response.content['application/json']!), 'Failure');
        assert.equal('Retry-After' in (response.headers ?? {}), status === '429' || status === '503');
      }
    }
  });

  it('gives rate limit headers to every operation that is counted, and to no other', () => {
    for (const { path, operation } of operations) {
      const headers = Object.keys(operation.responses['200']!.headers ?? {});
      assert.deepEqual(
        headers.sort(),
        /^\/v1\/(?:activity|groups|robots|pictures|waits|webhooks)/.test(path) ? ['RateLimit', 'RateLimit-Policy'] : [],
        path,
      );
    }
  });

  it('requires a body for every action, and rejects unknown properties where the interface does', () => {
    for (const { method, path, operation } of operations) {
      const without = /\/(?:test|replay)$/.test(path);
      assert.equal(operation.requestBody?.required, (method === 'POST' || method === 'PATCH') && !without ? true : undefined);
      if (operation.requestBody === undefined) continue;
      const name = schemaName(operation.requestBody.content['application/json']!);
      const open = name === 'StateArguments' || name === 'EventsArguments' || name === 'GroupArguments';
      assert.equal(document.components.schemas[name]!['additionalProperties'], open ? undefined : false, name);
    }
  });

  it('has only valid examples', () => {
    let count = 0;
    const check = (media: Media, where: string) => {
      const fits = validator(schemaName(media));
      for (const [key, { value }] of Object.entries(media.examples ?? {})) {
        assert.ok(fits(value), `${where} ${key}`);
        count++;
      }
    };
    for (const { path, operation } of operations) {
      if (operation.requestBody !== undefined) check(operation.requestBody.content['application/json']!, path);
      const media = operation.responses['200']!.content['application/json']!;
      if (path !== '/v1/activity/export') check(media, path);
    }
    for (const [name, { content }] of Object.entries(document.components.responses)) check(content['application/json']!, name);
    assert.ok(count >= 2 * 12 + 20, `${count} examples`);
  });

  it('rejects with its schemas what the service rejects', () => {
    assert.ok(!validator('SayArguments')({ text: 'a', loud: true }));
    assert.ok(!validator('ClickmapArguments')({ regions: [{ id: 'a' }] }));
    assert.ok(!validator('ClickmapArguments')({ regions: [{ id: 'a', rect: [0, 0, 1, 1], circle: [0, 0, 1] }] }));
    assert.ok(validator('ClickmapArguments')({ regions: [{ id: 'a', rect: [0, 0, 1, 1] }] }));
    assert.ok(validator('StateArguments')({ anything: 1 }));
    assert.ok(validator('ActionsAnswer')(actionsDocument()));
    assert.ok(validator('OpenApiAnswer')(document));
  });

  it('has no default in a schema, which makes generated types require the member, and says each in the description', () => {
    // openapi-typescript, --default-non-nullable: on unless switched off. https://openapi-ts.dev/cli
    const { properties } = actions.find(({ name }) => name === 'ask')!.args as unknown as { properties: Record<string, { default?: unknown }> };
    assert.equal(properties['timeout_s']!.default, 30);
    for (const { args } of actions)
      for (const [name, schema] of Object.entries(args.properties as Record<string, { default?: unknown; description?: string }>))
        if (schema.default !== undefined) assert.match(schema.description ?? '', /default/i, name);
    assert.deepEqual(schemasWithDefault(document), []);
  });

  it('has a schema for each event name, with the fields of its data', () => {
    const { oneOf, discriminator } = document.components.schemas['Event'] as {
      oneOf: { $ref: string }[];
      discriminator: { propertyName: string; mapping: object };
    };
    assert.deepEqual([discriminator.propertyName, Object.keys(discriminator.mapping)], ['name', eventNames]);
    assert.deepEqual(
      oneOf.map(({ $ref }) => $ref),
      Object.values(discriminator.mapping),
    );
    const event = (name: string, data: object) => ({ seq: 7, name, data, at: '2026-01-01T12:00:00.000Z' });
    const fits = validator('Event');
    for (const [name, data] of [
      ['tap', { x: 1, y: 2, sprite: 's' }],
      ['stroke', { direction: 'back' }],
      ['tag', { uid: '04a1', text: 'hi' }],
      ['connected', {}],
    ] as const)
      assert.ok(fits(event(name, data)), name);
    for (const [name, data] of [
      ['tap', { x: 1 }],
      ['stroke', { direction: 'up' }],
      ['tag', {}],
      ['jump', {}],
    ] as const)
      assert.ok(!fits(event(name, data)), name);
    assert.ok(validator('TapEvent')(event('tap', { x: 1, y: 2 })));
  });

  it('describes the messages to receivers of webhooks', () => {
    const { event, test } = document.webhooks;
    for (const { post } of [event!, test!]) {
      assert.deepEqual(
        post!.parameters!.map(({ name, in: where }) => [name, where]),
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, 'header']),
      );
      const media = post!.requestBody!.content['application/json']!;
      for (const { value } of Object.values(media.examples!)) assert.ok(validator(schemaName(media))(value));
    }
    const sent = webhookPayload({ id: 'r-1', name: '' }, { seq: 7, name: 'tap', data: { x: 1, y: 2 }, at: '2026-01-01T12:00:00.000Z' });
    assert.ok(validator('WebhookEvent')(sent));
    assert.equal((sent['data'] as { robot_name: string }).robot_name, 'r-1');
  });

  it('rejects an empty object exactly where the service does, while tool schemas have no anyOf at the root', () => {
    for (const { name } of actions) {
      let refused = false;
      try {
        validateArgs(name, {});
      } catch (error) {
        assert.ok(error instanceof ApiError);
        refused = true;
      }
      assert.equal(validator(`${name[0]!.toUpperCase()}${name.slice(1)}Arguments`)({}), !refused, name);
    }
    assert.ok(!validator('ShowArguments')({ color: 'red' }), 'a colour alone shows nothing');
    assert.ok(validator('ShowArguments')({ color: 'red', text: 'x' }));
    for (const { definition } of tools)
      assert.ok(!('anyOf' in definition.inputSchema) && !('minProperties' in definition.inputSchema), definition.name);
  });

  it('describes the event stream as a second media type, and the header Last-Event-ID', () => {
    const { parameters, responses } = document.paths['/v1/robots/{robot}/events']!.get!;
    assert.deepEqual(Object.keys(responses['200']!.content), ['application/json', 'text/event-stream']);
    const text = String(Object.values(responses['200']!.content['text/event-stream']!.examples!)[0]!.value);
    const datas = [...text.matchAll(/^(?:event: (\w+)\n)?id: \d+\ndata: (.*)$/gm)].map(([, event, data]) => [event, JSON.parse(data!)]);
    assert.deepEqual(
      datas.map(([event]) => event),
      ['gap', undefined, 'end'],
    );
    assert.ok(validator('Event')(datas[1]![1]));
    assert.ok(validator('Failure')(datas[2]![1]));
    assert.equal(parameters!.find(({ name }) => name === 'Last-Event-ID')?.in, 'header');
    for (const { method, path, operation } of operations) {
      if (method === 'GET' && path.endsWith('/events')) continue;
      const others = path === '/v1/activity/export' ? ['text/csv'] : /\/screen$|\/preview\//.test(path) ? ['image/png'] : [];
      assert.deepEqual(Object.keys(operation.responses['200']!.content), [...others, 'application/json'], path);
    }
  });

  it('declares names as a comma-separated query parameter', () => {
    const names = document.paths['/v1/robots/{robot}/events']!.get!.parameters!.find(({ name }) => name === 'names')!;
    assert.deepEqual([names.in, names.style, names.explode], ['query', 'form', false]);
  });

  it('returns a new object at each call', () => {
    const one = openApiDocument('https://robots.test');
    one.info.title = 'changed';
    (one.components!.schemas as Record<string, unknown>)['Event'] = null;
    assert.deepEqual(openApiDocument('https://robots.test'), document);
  });

  it('passes redocly lint without errors or warnings', async () => {
    assert.deepEqual(await lint(document), { errors: 0, warnings: 0, ignored: 0, problems: [] });
  });
});

/** Places of the schemas that have a default. The member of that name of `responses` is a response. */
function schemasWithDefault(part: unknown, at = ''): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = 'default' in part && !at.endsWith('/responses') ? [at] : [];
  return [...own, ...Object.entries(part).flatMap(([key, inner]) => schemasWithDefault(inner, `${at}/${key}`))];
}

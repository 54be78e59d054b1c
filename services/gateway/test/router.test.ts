import assert from 'node:assert/strict';
import type { Exchange } from '../src/http/exchange.js';
import { Router, type Route } from '../src/http/router.js';

type TestRoute = Route<unknown>;

function route(method: TestRoute['method'], path: string): TestRoute {
  return { method, path, cost: 1, label: 'robots', handle: async () => null };
}

const router = new Router([
  route('GET', 'robots'),
  route('POST', 'robots'),
  route('GET', 'robots/{robot}'),
  route('POST', 'robots/{robot}/show'),
  route('POST', 'webhooks/{webhook}/deliveries/{delivery}/replay'),
]);

describe('Router', () => {
  const templateOf = (path: string): string | undefined => router.match(path).resource?.template;

  it('finds the routes of a path by its segments, and the values of its parameters', () => {
    assert.equal(templateOf('/robots'), '/robots');
    const { resource, params } = router.match('/webhooks/w-1/deliveries/msg/replay');
    assert.equal(resource?.template, '/webhooks/{webhook}/deliveries/{delivery}/replay');
    assert.deepEqual(params, { webhook: 'w-1', delivery: 'msg' });
  });

  it('finds nothing at the beginning of a path, beyond its end, in another case, or where a segment is empty', () => {
    for (const path of [
      '/',
      '/robots/',
      '/robots//',
      '//robots',
      '/robots//show',
      '/Robots',
      '/webhooks',
      '/webhooks/w-1',
      '/robots/r-1/show/',
      '/x',
    ])
      assert.equal(templateOf(path), undefined, path);
  });

  it('finds no route for segments such as `constructor` and `__proto__`', () => {
    for (const path of ['/__proto__', '/constructor', '/robots/r-1/toString', '/robots/r-1/__proto__'])
      assert.equal(templateOf(path), undefined, path);
  });

  it('names the parameters of the known beginning of an unknown path', () => {
    assert.deepEqual(router.match('/robots/r-1/nothing/deeper'), { resource: undefined, params: { robot: 'r-1' } });
  });

  it('decodes each segment once, and leaves one that cannot be decoded as it is', () => {
    assert.deepEqual(router.match('/robots/r%2D1/%73how').params, { robot: 'r-1' });
    assert.equal(templateOf('/robots/r%2D1/%73how'), '/robots/{robot}/show');
    assert.deepEqual(router.match('/robots/a%252Fb').params, { robot: 'a%2Fb' });
    assert.deepEqual(router.match('/robots/a%2Fb').params, { robot: 'a/b' });
    assert.deepEqual(router.match('/robots/%zz').params, { robot: '%zz' });
    assert.equal(templateOf('/robots/r-1%2Fshow'), '/robots/{robot}');
  });

  it('serves HEAD with the GET route, and no method without a route', () => {
    const { resource } = router.match('/robots/r-1');
    assert.equal(resource?.route('HEAD'), resource?.route('GET'));
    assert.notEqual(resource?.route('HEAD'), undefined);
    for (const method of ['POST', 'get', 'PURGE', '', undefined]) assert.equal(resource?.route(method), undefined);
  });

  it('lists the methods of a path in the order of the table when it refuses one', () => {
    const headers: string[][] = [];
    const exchange = { request: { method: 'PUT' }, setHeader: (...header: string[]) => headers.push(header) } as unknown as Exchange;
    const error = router.match('/robots').resource!.wrongMethod(exchange);
    assert.deepEqual(headers, [['allow', 'GET, HEAD, POST']]);
    assert.equal(error.code, 'method_not_allowed');
    assert.equal(error.message, 'This path does not take PUT; it takes GET, HEAD, POST.');
  });

  it('rejects a table with the same method and path twice', () => {
    assert.throws(() => new Router([route('GET', 'robots'), route('GET', 'robots')]), /GET robots is in the table twice/);
  });

  it('rejects a table with two names for the same parameter', () => {
    assert.throws(() => new Router([route('GET', 'robots/{robot}'), route('GET', 'robots/{id}/log')]), /\{id\} is \{robot\} elsewhere in the table/);
  });
});

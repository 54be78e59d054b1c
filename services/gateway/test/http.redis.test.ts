import assert from 'node:assert/strict';
import { metricTable } from '@perch/runtime';
import { iconsDocument } from '@perch/schema';
import { rawRequest } from './raw-request.js';
import { useGateway, useOwner } from './gateway-under-test.js';

describe('HTTP', () => {
  const system = useGateway();
  const owner = useOwner(system);

  it('answers JSON on every path, including unknown ones and those outside /v1', async () => {
    for (const path of ['/', '/nonsense', '/favicon.ico', '/V1/robots', '/%', '/v10']) {
      const answer = await system.ask('GET', path);
      assert.equal(answer.status, 404, path);
      assert.deepEqual(Object.keys(answer.body).sort(), ['code', 'error', 'ok', 'request_id']);
      assert.equal(answer.body.code, 'not_found');
    }
    for (const path of ['/v1', '/v1/', '/v1/nonsense', '/v1/actions/deeper', '/v1/robots//', '/v1/%E0%A4%A']) {
      const answer = await system.ask('GET', path, { apiKey: owner.apiKey });
      assert.equal(answer.status, 404, path);
      assert.equal(answer.body.code, 'not_found', path);
    }
  });

  it('truncates a long unknown path in the error', async () => {
    const { status, body } = await system.ask('GET', `/${'x'.repeat(5000)}`);
    assert.deepEqual([status, body.code], [404, 'not_found']);
    assert.match(body.error, /^There is nothing at \/x{199}\.{4} The interface/);
  });

  it('answers 404 in JSON, never 500, for a malformed path of a robot', async () => {
    const answer = await system.ask('POST', `/v1/robots/${owner.robot}/%E0%A4%A`, { apiKey: owner.apiKey, body: {} });
    assert.equal(answer.status, 404);
    assert.equal(answer.body.code, 'not_found');
  });

  it('allows pages of any origin to call /v1 and read its headers, and answers requests without an Origin as usual', async () => {
    const preflight = await fetch(`${system.base}/v1/robots/${owner.robot}/ask`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,idempotency-key',
      },
    });
    assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [200, '*']);
    assert.match(preflight.headers.get('access-control-allow-headers')!, /authorization, content-type, idempotency-key/);
    assert.match(preflight.headers.get('access-control-allow-methods')!, /POST/);
    const authorization = `Bearer ${owner.apiKey}`;
    const answer = await fetch(`${system.base}/v1/robots`, { headers: { origin: 'https://page.example', authorization } });
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, '*']);
    for (const name of ['ratelimit', 'retry-after', 'x-request-id'])
      assert.ok(answer.headers.get('access-control-expose-headers')!.includes(name), name);
    const refused = await fetch(`${system.base}/v1/robots`, { headers: { origin: 'https://page.example' } });
    assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [401, '*'], 'the page reads why');
    const plain = await fetch(`${system.base}/v1/robots`, { headers: { authorization } });
    assert.equal(plain.headers.get('access-control-allow-origin'), null);
    assert.equal((await fetch(`${system.base}/v1/robots`, { method: 'OPTIONS', headers: { authorization } })).status, 405);
  });

  it('ignores a trailing slash', async () => {
    assert.equal((await system.ask('GET', '/v1/robots/', { apiKey: owner.apiKey })).status, 200);
    assert.equal((await system.ask('GET', `/v1/robots/${owner.robot}/`, { apiKey: owner.apiKey })).body.id, owner.robot);
    assert.equal((await system.ask('POST', `/v1/robots/${owner.robot}/face/`, { apiKey: owner.apiKey, body: { emotion: 'sad' } })).status, 200);
  });

  it('answers HEAD like GET without the body', async () => {
    const answer = await system.ask('HEAD', `/v1/robots/${owner.robot}`, { apiKey: owner.apiKey });
    assert.equal(answer.status, 200);
    assert.equal(answer.body, null);
    assert.ok(Number(answer.headers.get('content-length')) > 100);
  });

  it('answers without headers of Express, and forbids caching', async () => {
    const { headers } = await system.ask('GET', '/v1/robots', { apiKey: owner.apiKey });
    assert.equal(headers.get('x-powered-by'), null);
    assert.equal(headers.get('etag'), null);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  });

  it("uses the client's request id if it is well-formed, else its own, in the header and in failures", async () => {
    const sane = await system.ask('GET', '/v1/nonsense', { apiKey: owner.apiKey, headers: { 'x-request-id': 'abc-1:2.3_4' } });
    assert.equal(sane.headers.get('x-request-id'), 'abc-1:2.3_4');
    assert.equal(sane.body.request_id, 'abc-1:2.3_4');
    const insane = await system.ask('GET', '/v1/nonsense', { apiKey: owner.apiKey, headers: { 'x-request-id': 'a b "c"' } });
    assert.match(insane.body.request_id, /^gw-[\w-]+$/);
    assert.equal(insane.headers.get('x-request-id'), insane.body.request_id);
  });

  it('adds the members of RFC 9457 for a client that accepts application/problem+json', async () => {
    const answer = await system.ask('POST', `/v1/robots/${owner.robot}/move`, {
      apiKey: owner.apiKey,
      body: { yaw: 999 },
      headers: { accept: 'application/problem+json' },
    });
    assert.equal(answer.status, 400);
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.deepEqual(Object.keys(answer.body).sort(), [
      'code',
      'detail',
      'error',
      'field',
      'instance',
      'ok',
      'request_id',
      'status',
      'title',
      'type',
    ]);
    assert.equal(answer.body.status, 400);
    assert.equal(answer.body.detail, answer.body.error);
    assert.equal(answer.body.field, 'yaw');
  });

  it('answers 400 for event arguments that are not a number, out of range or repeated, and ignores unknown ones', async () => {
    const path = `/v1/robots/${owner.robot}/events`;
    for (const query of [
      'seconds=NaN',
      'seconds=',
      'seconds=61',
      'seconds=-1',
      'after=x',
      'after=1.5',
      'after=-1',
      'seconds=1&seconds=2',
      'names=tap&names=dance',
      'after=0&after=0',
      'names=tap,dance',
      'after=1e3',
    ]) {
      const answer = await system.ask('GET', `${path}?${query}`, { apiKey: owner.apiKey });
      assert.equal(answer.status, 400, query);
      assert.equal(answer.body.code, 'bad_argument', query);
      assert.ok(['seconds', 'after', 'names', 'names[1]'].includes(answer.body.field), `${query}: ${answer.body.field}`);
    }
    assert.equal((await system.ask('GET', `${path}?x=1&x=2&after=0&names=tap,%20pat`, { apiKey: owner.apiKey })).status, 200);
  });

  it('takes names that are given more than once as one list, as requests and httpx of Python send a list', async () => {
    // https://requests.readthedocs.io/en/latest/user/quickstart/ (Passing Parameters In URLs)
    const path = `/v1/robots/${owner.robot}/events?names=connected`;
    const names = async (more: string) =>
      (await system.ask('GET', `${path}${more}`, { apiKey: owner.apiKey })).body.events.map(({ name }: { name: string }) => name);
    const found = await names('&names=tap');
    assert.deepEqual(found, await names(',tap'));
    assert.deepEqual(await names('&names=&names=tap,pat'), await names(',tap,pat'));
  });

  it('sends X-Content-Type-Options: nosniff with every JSON answer, of successes, failures and malformed requests', async () => {
    for (const path of ['/v1/robots', '/v1/nonsense', '/nonsense', '/openapi.json', '/console/nonsense', '/mcp'])
      assert.equal((await system.ask('GET', path, { apiKey: owner.apiKey })).headers.get('x-content-type-options'), 'nosniff', path);
    assert.match(await rawRequest(system.base, 'nonsense\r\n\r\n'), /\r\nx-content-type-options: nosniff\r\n/);
  });

  it('describes the actions with their schemas, and answers an OpenAPI 3.1 document with the base URL of the request', async () => {
    const { body: actions } = await system.ask('GET', '/v1/actions', { apiKey: owner.apiKey });
    assert.equal(actions.ok, true);
    assert.deepEqual(
      actions.actions.map((action: { name: string }) => action.name),
      ['show', 'say', 'face', 'move', 'leds', 'sound', 'ask', 'menu', 'clickmap', 'command', 'state', 'events', 'speak', 'stop', 'scene'],
    );
    const ask = actions.actions.find(({ name }: { name: string }) => name === 'ask');
    assert.equal(ask.arguments.properties.timeout_s.default, 30, 'the defaults that the OpenAPI document says in words');
    const { body: openApi } = await system.ask('GET', '/v1/openapi.json', { apiKey: owner.apiKey });
    assert.match(openApi.openapi, /^3\.1\./);
    assert.equal(openApi.servers[0].url, system.base);
  });

  it('lists the icons', async () => {
    const { status, body } = await system.ask('GET', '/v1/icons', { apiKey: owner.apiKey });
    assert.equal(status, 200);
    assert.deepEqual(body, iconsDocument());
  });

  it('labels metrics with actions and codes from closed lists, never with a robot', async () => {
    await system.act(owner, 'face', { emotion: 'happy' });
    await system.ask('GET', '/v1/robots/r-0000000000/show/../x', { apiKey: owner.apiKey });
    const text = await system.metrics.metrics();
    assert.match(text, /perch_gateway_requests_total\{action="face",code="ok"\} [1-9]/);
    assert.doesNotMatch(text, new RegExp(owner.robot));
    const labels = new Set([...text.matchAll(/action="([^"]+)"/g)].map(([, action]) => action));
    for (const label of labels) assert.ok((metricTable.perch_gateway_requests_total.labels.action as readonly string[]).includes(label!), label);
  });
});

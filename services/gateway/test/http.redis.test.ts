import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { metricTable } from '@perch/runtime';
import { limits } from '@perch/schema';
import { until } from '@perch/testkit';
import { TestSystem, type Owner } from './test-system.js';

describe('HTTP', () => {
  let system: TestSystem;
  let owner: Owner;

  before(async () => {
    system = await TestSystem.start();
  });
  beforeEach(async () => {
    owner = await system.ownerOnline();
  });
  after(() => system.stop());

  /** Writes raw bytes and reads until the server closes or `enough` has arrived. */
  function raw(text: string, enough = /\r\n\r\n[^]+/): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(system.base).port), '127.0.0.1', () => socket.write(text));
      let got = '';
      socket.on('data', (data) => {
        got += data.toString();
        if (enough.test(got)) socket.destroy();
      });
      socket.on('close', () => resolve(got)).on('error', reject);
    });
  }

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
    assert.equal(
      (await fetch(`${system.base}/mcp`, { method: 'OPTIONS', headers: { origin: 'https://page.example' } })).headers.get(
        'access-control-allow-origin',
      ),
      null,
    );
  });

  it('ignores a trailing slash', async () => {
    assert.equal((await system.ask('GET', '/v1/robots/', { apiKey: owner.apiKey })).status, 200);
    assert.equal((await system.ask('GET', `/v1/robots/${owner.robot}/`, { apiKey: owner.apiKey })).body.id, owner.robot);
    assert.equal((await system.ask('POST', `/v1/robots/${owner.robot}/face/`, { apiKey: owner.apiKey, body: { emotion: 'sad' } })).status, 200);
  });

  it('accepts a request target in absolute form, as a proxy may send it', async () => {
    const answer = await raw(
      `GET http://robots.example/v1/robots/${owner.robot}?x=1 HTTP/1.1\r\nhost: robots.example\r\nauthorization: Bearer ${owner.apiKey}\r\nconnection: close\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 200 /);
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

  it('answers 400 with the advice to send {} for an empty body, with and without a content type', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }, { 'transfer-encoding': 'chunked', 'content-type': 'application/json' }]) {
      const lines = Object.entries({ host: 'x', authorization: `Bearer ${owner.apiKey}`, ...headers }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      const end = 'transfer-encoding' in headers ? '0\r\n\r\n' : '';
      const answer = await raw(`POST /v1/robots/${owner.robot}/state HTTP/1.1\r\n${lines.join('')}\r\n${end}`);
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.match(answer, /\{\}/);
    }
  });

  it('answers 415 for a wrong content type, charset or encoding', async () => {
    const path = `/v1/robots/${owner.robot}/face`;
    const body = '{"emotion":"happy"}';
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await system.ask('POST', path, { apiKey: owner.apiKey, body, headers: { 'content-type': type } });
      assert.equal(answer.status, 415, type);
      assert.equal(answer.body.code, 'not_json');
    }
    for (const type of ['application/json', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON']) {
      assert.equal((await system.ask('POST', path, { apiKey: owner.apiKey, body, headers: { 'content-type': type } })).status, 200, type);
    }
    const zipped = await fetch(`${system.base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(body),
    });
    assert.equal(zipped.status, 415);
  });

  it('answers 413 for a body over 2 MB, declared or not, and reads one of exactly 2 MB', async () => {
    const path = `/v1/robots/${owner.robot}/state`;
    const exact = `{"pad":"${'x'.repeat(limits.bodyBytesMax - 10)}"}`;
    assert.equal(exact.length, limits.bodyBytesMax);
    assert.equal((await system.ask('POST', path, { apiKey: owner.apiKey, body: exact })).status, 200);
    const over = await system.ask('POST', path, { apiKey: owner.apiKey, body: `${exact} ` });
    assert.equal(over.status, 413);
    assert.equal(over.body.code, 'body_too_large');
    const undeclared = await fetch(`${system.base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json' },
      body: new Blob([`${exact} `]).stream(),
      duplex: 'half',
    } as RequestInit);
    assert.equal(undeclared.status, 413);
    assert.equal(((await undeclared.json()) as { code: string }).code, 'body_too_large');
  });

  it('answers 400 for a body that is not a JSON object: broken, NaN, not UTF-8, a list, a string, null', async () => {
    const path = `/v1/robots/${owner.robot}/move`;
    for (const body of ['{', '{"yaw": NaN}', '{"yaw": Infinity}', "{'yaw': 1}", '{"yaw":1}}', '   ', '\ufeff{}x']) {
      const answer = await system.ask('POST', path, { apiKey: owner.apiKey, body });
      assert.equal(answer.status, 400, body);
      assert.equal(answer.body.code, 'malformed_json', body);
    }
    for (const body of ['[]', '"{}"', 'null', '3', '[{"yaw":1}]']) {
      const answer = await system.ask('POST', path, { apiKey: owner.apiKey, body });
      assert.equal(answer.status, 400, body);
      assert.equal(answer.body.code, 'bad_argument', body);
    }
    const latin = await fetch(`${system.base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json' },
      body: Buffer.from('{"gesture":"\xe9"}', 'latin1'),
    });
    assert.equal(latin.status, 400);
    assert.equal(((await latin.json()) as { code: string }).code, 'malformed_json');
  });

  it('answers 400, never 500, for a million nested lists', async () => {
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
    const answer = await system.ask('POST', `/v1/robots/${owner.robot}/command`, {
      apiKey: owner.apiKey,
      body: `{"command":"brightness","args":{"pct":${deep}}}`,
    });
    assert.equal(answer.status, 400);
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
      'names=tap&names=pat',
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

  it('answers 400 in JSON for bytes that are not HTTP, and for headers without end', async () => {
    for (const text of [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `GET /v1/robots HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      'GET / HTTP/1.1\r\nhost: x\r\ncontent-length: z\r\n\r\n',
    ]) {
      const answer = await raw(text);
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/, text.slice(0, 40));
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
      assert.equal(body.ok, false);
      assert.equal(body.code, 'bad_argument');
    }
  });

  it('answers a valid request first when bytes that are not HTTP follow it', async () => {
    const post = (text: string): string =>
      `POST /v1/robots/${owner.robot}/face HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.apiKey}\r\ncontent-type: application/json\r\n${text}`;
    const face = 'content-length: 19\r\n\r\n{"emotion":"happy"}';
    const statuses = async (text: string): Promise<string[]> =>
      [...(await raw(text, /$^/)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status!);
    assert.deepEqual(await statuses(`${post(face)}nonsense\r\n\r\n`), ['200', '400']);
    assert.deepEqual(await statuses(`${post(face)}${post(face)}nonsense\r\n\r\n`), ['200', '200', '400']);
    assert.deepEqual(await statuses(`${post(`connection: close\r\n${face}`)}GET /v1/robots HTTP/1.1\r\n\r\n`), ['200']);
    assert.deepEqual(await statuses(`${post(face)}${post('transfer-encoding: chunked\r\n\r\nzz\r\n')}`), ['200', '400']);
  });

  it('answers 400 bad_argument and closes the connection when a request has two Host headers, whether equal or not', async () => {
    for (const second of ['x', 'evil.example']) {
      for (const target of ['/v1/robots', '/console/session', '/openapi.json', '/nonsense']) {
        const answer = await raw(`GET ${target} HTTP/1.1\r\nhost: x\r\nHOST: ${second}\r\nauthorization: Bearer ${owner.apiKey}\r\n\r\n`, /$^/);
        assert.match(answer, /^HTTP\/1\.1 400 /, target);
        const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
        assert.deepEqual([body.ok, body.code], [false, 'bad_argument']);
      }
    }
  });

  it('sends X-Content-Type-Options: nosniff with every JSON answer, of successes, failures and malformed requests', async () => {
    for (const path of ['/v1/robots', '/v1/nonsense', '/nonsense', '/openapi.json', '/console/nonsense', '/mcp'])
      assert.equal((await system.ask('GET', path, { apiKey: owner.apiKey })).headers.get('x-content-type-options'), 'nosniff', path);
    assert.match(await raw('nonsense\r\n\r\n'), /\r\nx-content-type-options: nosniff\r\n/);
  });

  it('serves a request without Host like any other', async () => {
    assert.match(await raw(`GET /v1/robots HTTP/1.1\r\nauthorization: Bearer ${owner.apiKey}\r\n\r\n`), /^HTTP\/1\.1 200 /);
  });

  it('limits the time of a half-sent request', () => {
    const { headersTimeout, requestTimeout } = system.gateway.server;
    assert.ok(headersTimeout > 0 && headersTimeout <= 15_000);
    assert.ok(requestTimeout > 0 && requestTimeout <= 60_000);
  });

  it('leaves nothing behind after a client disconnects in the middle of its body', async () => {
    const { port } = new URL(system.base);
    const socket = connect(Number(port), '127.0.0.1');
    const begun = new Promise((resolve) => system.gateway.server.once('request', resolve));
    socket.write(
      `POST /v1/robots/${owner.robot}/face HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"emo`,
    );
    await begun;
    socket.destroy();
    await until(async () => /code="client_closed"\} [1-9]/.test(await system.metrics.metrics()), { what: 'the hang-up to be counted' });
    assert.equal((await system.act(owner, 'face', { emotion: 'happy' })).status, 200);
  });

  it('cancels the queued requests of a client that disconnects', async () => {
    const openCalls = async (kind: string): Promise<number> =>
      Number(new RegExp(`perch_gateway_held_calls\\{kind="${kind}"\\} (\\d+)`).exec(await system.metrics.metrics())?.[1]);
    const socket = connect(Number(new URL(system.base).port), '127.0.0.1');
    const head = (method: string, path: string): string =>
      `${method} /v1/robots/${owner.robot}/${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.apiKey}\r\n`;
    const question = JSON.stringify({ question: 'Coffee?', answers: ['Yes', 'No'] });
    socket.write(`${head('GET', 'events?seconds=50')}\r\n`);
    await until(async () => (await openCalls('poll')) === 1);
    socket.write(`${head('POST', 'ask')}content-type: application/json\r\ncontent-length: ${question.length}\r\n\r\n${question}`);
    await until(async () => (await openCalls('wait')) === 1);
    socket.destroy();
    await until(async () => (await openCalls('poll')) + (await openCalls('wait')) === 0, { what: 'both to end' });
  });

  it('creates requests and responses with the prototypes of Express, so that nothing swaps them', async () => {
    const swaps: unknown[] = [];
    const original = Object.setPrototypeOf;
    Object.setPrototypeOf = (object: object, prototype: object | null) => {
      if (Object.getPrototypeOf(object) !== prototype) swaps.push(object.constructor?.name);
      return original(object, prototype);
    };
    try {
      await system.ask('GET', '/v1/actions', { apiKey: owner.apiKey });
    } finally {
      Object.setPrototypeOf = original;
    }
    assert.deepEqual(
      swaps.filter((name) => name === 'IncomingMessage' || name === 'ServerResponse' || name === 'Made'),
      [],
    );
  });

  it('keeps the properties of requests and responses in slots of V8, from creation to end, not in hash tables', async () => {
    setFlagsFromString('--allow-natives-syntax');
    const inSlots = runInThisContext('(object) => %HasFastProperties(object)') as (object: object) => boolean;
    const seen: Record<string, boolean> = {};
    const look = (when: string, request: object, response: object): void => {
      seen[`request ${when}`] = inSlots(request);
      seen[`response ${when}`] = inSlots(response);
    };
    system.gateway.server.once('request', (request, response) => {
      look('made', request, response);
      response.once('finish', () => look('answered', request, response));
    });
    await system.act(owner, 'leds', { color: '#102030' });
    assert.deepEqual(seen, { 'request made': true, 'response made': true, 'request answered': true, 'response answered': true });
    assert.equal(inSlots(Object.assign(Object.create(null), { a: 1 })), false);
  });

  it('describes the actions with their schemas, and answers an OpenAPI 3.1 document with the base URL of the request', async () => {
    const { body: actions } = await system.ask('GET', '/v1/actions', { apiKey: owner.apiKey });
    assert.equal(actions.ok, true);
    assert.deepEqual(
      actions.actions.map((action: { name: string }) => action.name),
      ['show', 'say', 'face', 'move', 'leds', 'sound', 'ask', 'menu', 'clickmap', 'command', 'state', 'events', 'stop', 'scene'],
    );
    const { body: openApi } = await system.ask('GET', '/v1/openapi.json', { apiKey: owner.apiKey });
    assert.match(openApi.openapi, /^3\.1\./);
    assert.equal(openApi.servers[0].url, system.base);
  });

  it('labels metrics with actions and codes from closed lists, never with a robot', async () => {
    await system.act(owner, 'face', { emotion: 'happy' });
    await system.ask('GET', '/v1/robots/r-0000000000/show/../x', { apiKey: owner.apiKey });
    const text = await system.metrics.metrics();
    assert.match(text, /perch_gateway_requests_total\{action="face",code="ok"\} 1/);
    assert.doesNotMatch(text, new RegExp(owner.robot));
    const labels = new Set([...text.matchAll(/action="([^"]+)"/g)].map(([, action]) => action));
    for (const label of labels) assert.ok((metricTable.perch_gateway_requests_total.labels.action as readonly string[]).includes(label!), label);
  });
});

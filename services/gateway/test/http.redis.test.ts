import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { metricTable } from '@perch/runtime';
import { limits } from '@perch/schema';
import { until } from '@perch/testkit';
import { Bench, type Owner } from './bench.js';

describe('the HTTP side', () => {
  let bench: Bench;
  let owner: Owner;

  before(async () => {
    bench = await Bench.start();
  });
  beforeEach(async () => {
    owner = await bench.ownerOnline();
  });
  after(() => bench.stop());

  /** Writes bytes as they are and reads until the server closes or `enough` is there. */
  function raw(text: string, enough = /\r\n\r\n[^]+/): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(bench.base).port), '127.0.0.1', () => socket.write(text));
      let got = '';
      socket.on('data', (data) => {
        got += data.toString();
        if (enough.test(got)) socket.destroy();
      });
      socket.on('close', () => resolve(got)).on('error', reject);
    });
  }

  it('every path answers JSON, unknown ones too, outside /v1 as well', async () => {
    for (const path of ['/', '/nonsense', '/favicon.ico', '/V1/robots', '/%', '/v10']) {
      const answer = await bench.ask('GET', path);
      assert.equal(answer.status, 404, path);
      assert.deepEqual(Object.keys(answer.body).sort(), ['code', 'error', 'ok', 'request_id']);
      assert.equal(answer.body.code, 'not_found');
    }
    for (const path of ['/v1', '/v1/', '/v1/nonsense', '/v1/actions/deeper', '/v1/robots//', '/v1/%E0%A4%A']) {
      const answer = await bench.ask('GET', path, { apiKey: owner.apiKey });
      assert.equal(answer.status, 404, path);
      assert.equal(answer.body.code, 'not_found', path);
    }
  });

  it('a path that leads nowhere is shown as far as a person would read it', async () => {
    const { status, body } = await bench.ask('GET', `/${'x'.repeat(5000)}`);
    assert.deepEqual([status, body.code], [404, 'not_found']);
    assert.match(body.error, /^There is nothing at \/x{199}\.{4} The interface/);
  });

  it('a malformed path under a robot of the key is 404 JSON, never 500', async () => {
    const answer = await bench.ask('POST', `/v1/robots/${owner.robot}/%E0%A4%A`, { apiKey: owner.apiKey, body: {} });
    assert.equal(answer.status, 404);
    assert.equal(answer.body.code, 'not_found');
  });

  it('a page of any origin may call /v1, and read all that an answer says; what has no origin is answered as ever', async () => {
    const asked = await fetch(`${bench.base}/v1/robots/${owner.robot}/ask`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,idempotency-key',
      },
    });
    assert.deepEqual([asked.status, asked.headers.get('access-control-allow-origin')], [200, '*']);
    assert.match(asked.headers.get('access-control-allow-headers')!, /authorization, content-type, idempotency-key/);
    assert.match(asked.headers.get('access-control-allow-methods')!, /POST/);
    const authorization = `Bearer ${owner.apiKey}`;
    const answer = await fetch(`${bench.base}/v1/robots`, { headers: { origin: 'https://page.example', authorization } });
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, '*']);
    for (const name of ['ratelimit', 'retry-after', 'x-request-id'])
      assert.ok(answer.headers.get('access-control-expose-headers')!.includes(name), name);
    const refused = await fetch(`${bench.base}/v1/robots`, { headers: { origin: 'https://page.example' } });
    assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [401, '*'], 'the page reads why');
    const plain = await fetch(`${bench.base}/v1/robots`, { headers: { authorization } });
    assert.equal(plain.headers.get('access-control-allow-origin'), null);
    assert.equal((await fetch(`${bench.base}/v1/robots`, { method: 'OPTIONS', headers: { authorization } })).status, 405);
    assert.equal(
      (await fetch(`${bench.base}/mcp`, { method: 'OPTIONS', headers: { origin: 'https://page.example' } })).headers.get(
        'access-control-allow-origin',
      ),
      null,
    );
  });

  it('a trailing slash is no difference', async () => {
    assert.equal((await bench.ask('GET', '/v1/robots/', { apiKey: owner.apiKey })).status, 200);
    assert.equal((await bench.ask('GET', `/v1/robots/${owner.robot}/`, { apiKey: owner.apiKey })).body.id, owner.robot);
    assert.equal((await bench.ask('POST', `/v1/robots/${owner.robot}/face/`, { apiKey: owner.apiKey, body: { emotion: 'sad' } })).status, 200);
  });

  it('a target in absolute form is the same path, as a proxy may send it', async () => {
    const answer = await raw(
      `GET http://robots.example/v1/robots/${owner.robot}?x=1 HTTP/1.1\r\nhost: robots.example\r\nauthorization: Bearer ${owner.apiKey}\r\nconnection: close\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 200 /);
  });

  it('HEAD is GET without its body', async () => {
    const answer = await bench.ask('HEAD', `/v1/robots/${owner.robot}`, { apiKey: owner.apiKey });
    assert.equal(answer.status, 200);
    assert.equal(answer.body, null);
    assert.ok(Number(answer.headers.get('content-length')) > 100);
  });

  it('answers carry no trace of express and are not cached', async () => {
    const { headers } = await bench.ask('GET', '/v1/robots', { apiKey: owner.apiKey });
    assert.equal(headers.get('x-powered-by'), null);
    assert.equal(headers.get('etag'), null);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  });

  it("the request id is the caller's where it is a sane one, else ours, in header and failure alike", async () => {
    const sane = await bench.ask('GET', '/v1/nonsense', { apiKey: owner.apiKey, headers: { 'x-request-id': 'abc-1:2.3_4' } });
    assert.equal(sane.headers.get('x-request-id'), 'abc-1:2.3_4');
    assert.equal(sane.body.request_id, 'abc-1:2.3_4');
    const insane = await bench.ask('GET', '/v1/nonsense', { apiKey: owner.apiKey, headers: { 'x-request-id': 'a b "c"' } });
    assert.match(insane.body.request_id, /^gw-[\w-]+$/);
    assert.equal(insane.headers.get('x-request-id'), insane.body.request_id);
  });

  it("application/problem+json gets the same object with RFC 9457's members", async () => {
    const answer = await bench.ask('POST', `/v1/robots/${owner.robot}/move`, {
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

  it('an empty body is 400 that says to send {}, with and without a content type', async () => {
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

  it('415 for what is not JSON: type, charset and encoding', async () => {
    const path = `/v1/robots/${owner.robot}/face`;
    const body = '{"emotion":"happy"}';
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await bench.ask('POST', path, { apiKey: owner.apiKey, body, headers: { 'content-type': type } });
      assert.equal(answer.status, 415, type);
      assert.equal(answer.body.code, 'not_json');
    }
    for (const type of ['application/json', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON']) {
      assert.equal((await bench.ask('POST', path, { apiKey: owner.apiKey, body, headers: { 'content-type': type } })).status, 200, type);
    }
    const zipped = await fetch(`${bench.base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(body),
    });
    assert.equal(zipped.status, 415);
  });

  it('413 for a body over 2 MB, declared or not; exactly 2 MB is read', async () => {
    const path = `/v1/robots/${owner.robot}/state`;
    const exact = `{"pad":"${'x'.repeat(limits.bodyBytesMax - 10)}"}`;
    assert.equal(exact.length, limits.bodyBytesMax);
    assert.equal((await bench.ask('POST', path, { apiKey: owner.apiKey, body: exact })).status, 200);
    const over = await bench.ask('POST', path, { apiKey: owner.apiKey, body: `${exact} ` });
    assert.equal(over.status, 413);
    assert.equal(over.body.code, 'body_too_large');
    const undeclared = await fetch(`${bench.base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json' },
      body: new Blob([`${exact} `]).stream(),
      duplex: 'half',
    } as RequestInit);
    assert.equal(undeclared.status, 413);
    assert.equal(((await undeclared.json()) as { code: string }).code, 'body_too_large');
  });

  it('what is no JSON object is 400: broken, NaN, not UTF-8, a list, a string, null', async () => {
    const path = `/v1/robots/${owner.robot}/move`;
    for (const body of ['{', '{"yaw": NaN}', '{"yaw": Infinity}', "{'yaw': 1}", '{"yaw":1}}', '   ', '\ufeff{}x']) {
      const answer = await bench.ask('POST', path, { apiKey: owner.apiKey, body });
      assert.equal(answer.status, 400, body);
      assert.equal(answer.body.code, 'malformed_json', body);
    }
    for (const body of ['[]', '"{}"', 'null', '3', '[{"yaw":1}]']) {
      const answer = await bench.ask('POST', path, { apiKey: owner.apiKey, body });
      assert.equal(answer.status, 400, body);
      assert.equal(answer.body.code, 'bad_argument', body);
    }
    const latin = await fetch(`${bench.base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json' },
      body: Buffer.from('{"gesture":"\xe9"}', 'latin1'),
    });
    assert.equal(latin.status, 400);
    assert.equal(((await latin.json()) as { code: string }).code, 'malformed_json');
  });

  it('a million nested lists are 400, never 500', async () => {
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
    const answer = await bench.ask('POST', `/v1/robots/${owner.robot}/command`, {
      apiKey: owner.apiKey,
      body: `{"command":"brightness","args":{"pct":${deep}}}`,
    });
    assert.equal(answer.status, 400);
  });

  it('events: what is no number, is out of range or is there twice is 400; unknown arguments are ignored', async () => {
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
      const answer = await bench.ask('GET', `${path}?${query}`, { apiKey: owner.apiKey });
      assert.equal(answer.status, 400, query);
      assert.equal(answer.body.code, 'bad_argument', query);
      assert.ok(['seconds', 'after', 'names', 'names[1]'].includes(answer.body.field), `${query}: ${answer.body.field}`);
    }
    assert.equal((await bench.ask('GET', `${path}?x=1&x=2&after=0&names=tap,%20pat`, { apiKey: owner.apiKey })).status, 200);
  });

  it('what is not HTTP is answered with JSON 400, as are headers without end', async () => {
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

  it('what is not HTTP behind a request that is waits for the answer to that one', async () => {
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

  it('answers 400 bad_argument and closes the connection when a request has two Host headers, equal or not', async () => {
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
      assert.equal((await bench.ask('GET', path, { apiKey: owner.apiKey })).headers.get('x-content-type-options'), 'nosniff', path);
    assert.match(await raw('nonsense\r\n\r\n'), /\r\nx-content-type-options: nosniff\r\n/);
  });

  it('a request without Host is served like any other', async () => {
    assert.match(await raw(`GET /v1/robots HTTP/1.1\r\nauthorization: Bearer ${owner.apiKey}\r\n\r\n`), /^HTTP\/1\.1 200 /);
  });

  it('the server gives a half-sent request a bounded time', () => {
    const { headersTimeout, requestTimeout } = bench.gateway.server;
    assert.ok(headersTimeout > 0 && headersTimeout <= 15_000);
    assert.ok(requestTimeout > 0 && requestTimeout <= 60_000);
  });

  it('a client that goes away in the middle of its body leaves nothing behind', async () => {
    const { port } = new URL(bench.base);
    const socket = connect(Number(port), '127.0.0.1');
    const begun = new Promise((resolve) => bench.gateway.server.once('request', resolve));
    socket.write(
      `POST /v1/robots/${owner.robot}/face HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"emo`,
    );
    await begun;
    socket.destroy();
    await until(async () => /code="client_closed"\} [1-9]/.test(await bench.metrics.metrics()), { what: 'the hang-up to be counted' });
    assert.equal((await bench.act(owner, 'face', { emotion: 'happy' })).status, 200);
  });

  it('a client that goes away takes the requests it sent behind a held one with it', async () => {
    const held = async (kind: string): Promise<number> =>
      Number(new RegExp(`perch_gateway_held_calls\\{kind="${kind}"\\} (\\d+)`).exec(await bench.metrics.metrics())?.[1]);
    const socket = connect(Number(new URL(bench.base).port), '127.0.0.1');
    const head = (method: string, path: string): string =>
      `${method} /v1/robots/${owner.robot}/${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.apiKey}\r\n`;
    const question = JSON.stringify({ question: 'Coffee?', answers: ['Yes', 'No'] });
    socket.write(`${head('GET', 'events?seconds=50')}\r\n`);
    await until(async () => (await held('poll')) === 1);
    socket.write(`${head('POST', 'ask')}content-type: application/json\r\ncontent-length: ${question.length}\r\n\r\n${question}`);
    await until(async () => (await held('wait')) === 1);
    socket.destroy();
    await until(async () => (await held('poll')) + (await held('wait')) === 0, { what: 'both to end' });
  });

  it('express finds requests and responses as it wants them: nothing swaps their prototypes', async () => {
    const swaps: unknown[] = [];
    const original = Object.setPrototypeOf;
    Object.setPrototypeOf = (object: object, prototype: object | null) => {
      if (Object.getPrototypeOf(object) !== prototype) swaps.push(object.constructor?.name);
      return original(object, prototype);
    };
    try {
      await bench.ask('GET', '/v1/actions', { apiKey: owner.apiKey });
    } finally {
      Object.setPrototypeOf = original;
    }
    assert.deepEqual(
      swaps.filter((name) => name === 'IncomingMessage' || name === 'ServerResponse' || name === 'Made'),
      [],
    );
  });

  it('V8 keeps the properties of requests and responses in slots, from their making to their end, not in hash tables', async () => {
    setFlagsFromString('--allow-natives-syntax');
    const inSlots = runInThisContext('(object) => %HasFastProperties(object)') as (object: object) => boolean;
    const seen: Record<string, boolean> = {};
    const look = (when: string, request: object, response: object): void => {
      seen[`request ${when}`] = inSlots(request);
      seen[`response ${when}`] = inSlots(response);
    };
    bench.gateway.server.once('request', (request, response) => {
      look('made', request, response);
      response.once('finish', () => look('answered', request, response));
    });
    await bench.act(owner, 'leds', { color: '#102030' });
    assert.deepEqual(seen, { 'request made': true, 'response made': true, 'request answered': true, 'response answered': true });
    assert.equal(inSlots(Object.assign(Object.create(null), { a: 1 })), false);
  });

  it('discovery: the actions with their schemas, and an OpenAPI 3.1 description at the address that was asked', async () => {
    const { body: actions } = await bench.ask('GET', '/v1/actions', { apiKey: owner.apiKey });
    assert.equal(actions.ok, true);
    assert.deepEqual(
      actions.actions.map((action: { name: string }) => action.name),
      ['show', 'say', 'face', 'move', 'leds', 'sound', 'ask', 'menu', 'clickmap', 'command', 'state', 'events', 'stop', 'scene'],
    );
    const { body: openApi } = await bench.ask('GET', '/v1/openapi.json', { apiKey: owner.apiKey });
    assert.match(openApi.openapi, /^3\.1\./);
    assert.equal(openApi.servers[0].url, bench.base);
  });

  it('the metrics name actions and codes from closed lists, never a robot', async () => {
    await bench.act(owner, 'face', { emotion: 'happy' });
    await bench.ask('GET', '/v1/robots/r-0000000000/show/../x', { apiKey: owner.apiKey });
    const text = await bench.metrics.metrics();
    assert.match(text, /perch_gateway_requests_total\{action="face",code="ok"\} 1/);
    assert.doesNotMatch(text, new RegExp(owner.robot));
    const labels = new Set([...text.matchAll(/action="([^"]+)"/g)].map(([, action]) => action));
    for (const label of labels) assert.ok((metricTable.perch_gateway_requests_total.labels.action as readonly string[]).includes(label!), label);
  });
});

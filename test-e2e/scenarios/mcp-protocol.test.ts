import assert from 'node:assert/strict';
import { request } from 'node:http';
import { callMessage, modernCall, newest, post } from '../fixture/clients/mcp.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const list = { jsonrpc: '2.0', id: 'l', method: 'tools/list' };

onSharedSystems(
  'mcp protocol',
  (system) => {
    it('requests to /mcp without a valid key get 401 with WWW-Authenticate', async () => {
      const base = system().gateway();
      const wrong = `pk_${'A'.repeat(43)}`;
      const bodies = [
        initialize,
        list,
        callMessage('robot_list'),
        callMessage('robot_ask', { question: 'Q', answers: ['a', 'b'] }),
        'not JSON',
        [],
        '',
      ];
      for (const body of bodies) {
        for (const key of [null, 'nonsense', wrong]) {
          const { status, headers, body: answer } = await post(base, key, body);
          assert.equal(status, 401, `${JSON.stringify(body)} with ${key}`);
          assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
          assert.deepEqual([answer.ok, answer.code], [false, 'unauthorized']);
        }
      }
      for (const method of ['GET', 'DELETE']) assert.equal((await fetch(`${base}/mcp`, { method })).status, 401);
    });

    it('GET and DELETE on /mcp get 405 with Allow: POST, and paths below /mcp get 404', async () => {
      const { key } = await system().tenant();
      const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
      for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
        const response = await fetch(`${system().gateway()}/mcp`, { method, headers });
        assert.equal(response.status, 405, method);
        assert.equal(response.headers.get('allow'), 'POST');
        assert.equal(((await response.json()) as { code: string }).code, 'method_not_allowed');
      }
      assert.equal((await fetch(`${system().gateway()}/mcp/tools`, { headers })).status, 404);
    });

    it('the MCP server is stateless: it issues no session, ignores a given one, and any gateway answers any request', async () => {
      const { key } = await system().tenant();
      const begun = await post(system().gateway(0), key, initialize);
      assert.equal(begun.status, 200);
      assert.equal(begun.headers.get('mcp-session-id'), null);
      for (const headers of [{}, { 'mcp-session-id': 'of another server' }] as Record<string, string>[]) {
        const { status, body } = await post(system().gateway(1), key, list, { ...headers, 'mcp-protocol-version': '2025-06-18' });
        assert.deepEqual([status, body.id, body.result.tools.length], [200, 'l', 18]);
      }
    });

    it('bodies that are not a message are rejected in the format of the protocol', async () => {
      const { key } = await system().tenant();
      const cases: [what: string, body: unknown, status: number, code: number, headers?: Record<string, string>][] = [
        ['not JSON', '{"jsonrpc":', 400, -32700],
        ['nothing', '', 400, -32700],
        ['a batch', [list, list], 400, -32600],
        ['an empty batch', [], 400, -32600],
        ['a batch of calls', Array.from({ length: 50 }, () => callMessage('robot_list')), 400, -32600],
        ['a number', 7, 400, -32600],
        ['null', 'null', 400, -32600],
        ['no jsonrpc', { id: 1, method: 'tools/list' }, 400, -32600],
        ['a number as method', { jsonrpc: '2.0', id: 1, method: 7 }, 400, -32600],
        ['not declared as JSON', list, 415, -32000, { 'content-type': 'text/plain' }],
        ['too large', { ...list, params: { pad: 'x'.repeat(2_200_000) } }, 413, -32000],
        ['a revision that is not there', list, 400, -32000, { 'mcp-protocol-version': '1999-01-01' }],
        ['the newest revision without its claim', list, 400, -32602, { 'mcp-protocol-version': newest }],
      ];
      for (const [what, sent, status, code, headers] of cases) {
        const answer = await post(system().gateway(), key, sent, headers);
        assert.equal(answer.status, status, `${what}: ${answer.text}`);
        assert.equal(answer.body?.error?.code, code, `${what}: ${answer.text}`);
        assert.equal(answer.body.jsonrpc, '2.0', what);
      }
    });

    it('requests of the newest revision must match their headers, and a name may be encoded', async () => {
      const tenant = await system().tenant();
      await tenant.robot();
      const { message, headers } = modernCall('robot_leds', { color: 'red' });
      const good = await post(system().gateway(), tenant.key, message, headers);
      assert.equal(good.status, 200);
      assert.equal(good.body.result.resultType, 'complete');
      const encoded = `=?base64?${Buffer.from('robot_leds').toString('base64')}?=`;
      const same = await post(system().gateway(), tenant.key, message, { ...headers, 'mcp-name': encoded });
      assert.deepEqual(same.body, good.body, 'what the SDK answers is what we answer');
      for (const [header, value] of Object.entries({ 'mcp-method': 'tools/list', 'mcp-name': 'robot_show', 'mcp-protocol-version': '2025-11-25' })) {
        const { status, body } = await post(system().gateway(), tenant.key, message, { ...headers, [header]: value });
        assert.deepEqual([status, body.error.code, body.id], [400, -32020, 1], header);
      }
      const unknown = modernCall('robot_fly');
      const { status, body } = await post(system().gateway(), tenant.key, unknown.message, unknown.headers);
      assert.deepEqual([status, body.error.code], [200, -32602]);
    });

    it('unknown methods get errors, and notifications get no response', async () => {
      const { key } = await system().tenant();
      const { text } = await post(system().gateway(), key, { jsonrpc: '2.0', id: 4, method: 'robots/fly' });
      assert.match(text, /-32601/);
      for (const method of ['notifications/initialized', 'notifications/cancelled', 'notifications/whatever']) {
        const answer = await post(system().gateway(), key, { jsonrpc: '2.0', method });
        assert.deepEqual([answer.status, answer.text], [202, ''], method);
      }
      const { headers, message } = modernCall('x');
      const meta = (message as { params: { _meta: object } }).params._meta;
      const listen = { jsonrpc: '2.0', id: 5, method: 'subscriptions/listen', params: { notifications: {}, _meta: meta } };
      const nothing = await post(system().gateway(), key, listen, { ...headers, 'mcp-method': 'subscriptions/listen' });
      assert.equal(nothing.status, 200);
      assert.match(nothing.text, /subscriptions\/acknowledged/);
      const older = await post(system().gateway(), key, { ...listen, params: { notifications: {} } });
      assert.deepEqual([older.status, older.body.error.code, older.body.id], [404, -32601, 5]);
      for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
        const { text } = await post(system().gateway(), key, { jsonrpc: '2.0', id: 6, method, params: { uri: 'perch://robots/r-0000000000/state' } });
        assert.match(text, /-32601/, method);
      }
    });

    it('wrong parameters of a tool call are reported, and nothing is called', async () => {
      const tenant = await system().tenant();
      const { robot } = await tenant.robot();
      const before = robot.commands.length;
      for (const params of [{}, { name: 7 }, { name: 'robot_leds', arguments: [] }, { name: 'robot_leds', arguments: 'red' }]) {
        const { text } = await post(system().gateway(), tenant.key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
        assert.match(text, /"error":\{"code":-32602/, JSON.stringify(params));
      }
      for (const args of [{ __proto__: null, constructor: 1 }, { toString: 'x' }, { 'a\n': 1 }]) {
        const { text } = await post(system().gateway(), tenant.key, callMessage('robot_leds', args));
        assert.match(text, /"isError":true/);
      }
      assert.equal(robot.commands.length, before);
    });

    it('a tool call costs one action, other messages cost nothing, and the answer has what is left', async () => {
      const tenant = await system().tenant();
      await tenant.robot();
      const left = async (body: unknown): Promise<number> => {
        const { headers } = await post(system().gateway(), tenant.key, body);
        assert.equal(headers.get('ratelimit-policy'), '"actions";q=30;w=3');
        return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
      };
      for (const free of [initialize, list, callMessage('robot_fly')]) assert.equal(await left(free), 30);
      assert.equal(await left(callMessage('robot_leds', { color: 'red' })), 29);
    });

    it('Host is checked before everything else; pages of any origin may call with a key, without a cookie, and read why they may not', async () => {
      const { key } = await system().tenant();
      const base = system().gateway();
      for (const origin of ['http://elsewhere.example', 'null', 'http://203.0.113.9', 'http://localhost:6274']) {
        const { status, headers } = await post(base, key, list, { origin });
        assert.deepEqual(
          [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')],
          [200, '*', null],
          origin,
        );
      }
      const asked = 'authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id, mcp-param-robot, x-evil';
      const preflight = await fetch(`${base}/mcp`, {
        method: 'OPTIONS',
        headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST', 'access-control-request-headers': asked },
      });
      const allowed = preflight.headers.get('access-control-allow-headers')!.split(', ');
      assert.deepEqual([preflight.status, asked.split(', ').filter((name) => !allowed.includes(name))], [200, ['x-evil']]);
      const unauthorized = await post(base, 'pk_none', list, { origin: 'https://elsewhere.example' });
      assert.deepEqual([unauthorized.status, unauthorized.headers.get('access-control-allow-origin')], [401, '*']);
      assert.match(unauthorized.headers.get('access-control-expose-headers')!, /\bwww-authenticate\b/);
      assert.equal(await statusWithHost(base, key, 'evil.example'), 403);
      assert.equal(await statusWithHost(base, key, 'localhost:1234'), 200);
    });

    it('a body that arrives late, or is large because of a picture, is handled like any other', async () => {
      const tenant = await system().tenant();
      await tenant.robot();
      const text = JSON.stringify(callMessage('robot_show', { text: 'x'.repeat(100_000) }));
      const large = await post(system().gateway(), tenant.key, text);
      assert.equal(large.body.result.structuredContent.ok, true);
      const late = await statusWithHost(system().gateway(), tenant.key, 'localhost', 100);
      assert.equal(late, 200);
    });
  },
  [shapes[1]!],
);

/** Returns the status of a list request with this Host header, which fetch does not allow to set. @param pauseMs before the second half of the body */
function statusWithHost(base: string, key: string, host: string, pauseMs = 0): Promise<number> {
  const { hostname, port } = new URL(base);
  const text = JSON.stringify(list);
  const headers = {
    host,
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': text.length,
  };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: '/mcp', method: 'POST', headers, timeout: 10_000 }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode!));
    });
    sent.on('error', reject);
    sent.write(text.slice(0, 10));
    setTimeout(() => sent.end(text.slice(10)), pauseMs);
  });
}

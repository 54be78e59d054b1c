/** Reports of users of other servers and clients, tried on this one: each test names the report. No client of these is needed to show it. */
import assert from 'node:assert/strict';
import { useGateway, useOwner, type Answer } from '../gateway-under-test.js';
import { OAuthClient } from '../oauth/oauth-client.js';

const accept = 'application/json, text/event-stream';
const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

describe('reports of users of other MCP servers', () => {
  const system = useGateway();
  const owner = useOwner(system);

  /** Sends a message as a client of 2025 does. The body is the last message of a stream. */
  async function send(body: object, headers: Record<string, string> = {}, path = '/mcp'): Promise<Omit<Answer, 'headers'> & { text: string }> {
    const response = await fetch(`${system.base}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json', accept, ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const last = text.startsWith('{') ? text : (text.split('\n').findLast((line) => line.startsWith('data: {')) ?? '').slice('data: '.length);
    return { status: response.status, text, body: last === '' ? null : JSON.parse(last) };
  }
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  // modelcontextprotocol/python-sdk#732, opensearch-project/opensearch-mcp-server-py#271: a redirect loses the key or the body.
  for (const path of ['/mcp', '/mcp/', '/mcp?server_id=65aebdca', '/mcp/?x'])
    it(`${path} is answered without a redirect`, async () => {
      const { status, body } = await send(list, {}, path);
      assert.deepEqual([status, body.result.tools.length], [200, 18]);
    });

  // bestarch-ae/cacherpc#118.
  it('a charset beside the type of the body is accepted', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'Application/JSON'])
      assert.equal((await send(list, { 'content-type': type })).status, 200, type);
  });

  // chaitin/MonkeyCode#1268.
  it('parameters that are null are none', async () => {
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'ping']) {
      const { status, body } = await send({ jsonrpc: '2.0', id: 1, method, params: null });
      assert.deepEqual([status, body.error], [200, undefined], method);
    }
  });

  // gensecaihq/Wazuh-MCP-Server#75: clients refuse a whole list for a cursor that is null.
  it('a list on one page has no cursor, not one that is null', async () => {
    for (const method of ['tools/list', 'prompts/list', 'resources/list']) {
      const { body } = await send({ jsonrpc: '2.0', id: 1, method });
      assert.equal('nextCursor' in body.result, false, method);
    }
  });

  // soggie/jsonrpc-serializer#9, saidsurucu/borsa-mcp#6.
  it('a request may have the id 0, and one whose id is null is refused and not taken for a notification', async () => {
    const { status, body } = await send({ ...list, id: 0 });
    assert.deepEqual([status, body.id, body.result.tools.length], [200, 0, 18]);
    const refused = await send({ ...list, id: null });
    assert.deepEqual([refused.status, refused.body.error.code], [400, -32600]);
  });

  // IBM/mcp-context-forge#4438, Aas-ee/open-webSearch#82.
  it('a message without an id is answered with nothing, whatever its method and without a session', async () => {
    for (const method of ['notifications/initialized', 'notifications/roots/list_changed', 'tools/list']) {
      const { status, text } = await send({ jsonrpc: '2.0', method });
      assert.deepEqual([status, text], [202, ''], method);
    }
  });

  // xpzouying/xiaohongshu-mcp#697, pgEdge/pgedge-postgres-mcp#212.
  it('a client of a revision that is not known is answered with one that is', async () => {
    for (const version of ['2099-01-01', '2024-11-05', '']) {
      const { status, body } = await send(initialize(version));
      assert.equal(status, 200, version);
      assert.match(body.result.protocolVersion, /^202[45]-\d\d-\d\d$/);
    }
  });

  // modelcontextprotocol/python-sdk#176, twentyhq/twenty#24559.
  it('progress has the token of the request, 0 too, and a request without one gets no progress', async () => {
    const ask = (more: object) => ({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'robot_ask', arguments: { question: 'Now?', answers: ['Yes', 'No'], timeout_s: 1 }, ...more },
    });
    for (const progressToken of [0, '', 'p-1']) {
      const { text, body } = await send(ask({ _meta: { progressToken } }));
      assert.equal(body.result.structuredContent.outcome, 'timed_out');
      assert.ok(text.includes(`"progressToken":${JSON.stringify(progressToken)}`), text);
    }
    assert.doesNotMatch((await send(ask({}))).text, /progress/);
  });

  // taylorwilsdon/google_workspace_mcp#382, datagouv/datagouv-mcp#26, stacklok/toolhive#4366: clients read the error of every path that they try as a text of JSON.
  it('each path that clients try for metadata has it, or a 404 in JSON whose error is a text', async () => {
    for (const path of ['oauth-protected-resource/mcp', 'oauth-protected-resource', 'oauth-authorization-server']) {
      // The SDKs keep the query of /mcp.
      for (const query of ['', '?server_id=65aebdca']) assert.equal((await system.ask('GET', `/.well-known/${path}${query}`)).status, 200, path);
    }
    for (const path of [
      '/.well-known/oauth-authorization-server/mcp',
      '/.well-known/openid-configuration',
      '/.well-known/openid-configuration/mcp',
      '/mcp/.well-known/openid-configuration',
      '/mcp/.well-known/oauth-authorization-server',
    ]) {
      const { status, headers, body } = await system.ask('GET', path);
      assert.deepEqual([status, headers.get('content-type'), typeof body.error], [404, 'application/json; charset=utf-8', 'string'], path);
    }
    const { status, body } = await system.ask('POST', '/register', { body: {} });
    assert.deepEqual([status, typeof body.error], [404, 'string']);
  });

  // obot-platform/mcp-oauth-proxy#52, anthropics/claude-ai-mcp#1043, onyx-dot-app/onyx#12874, turnstonelabs/turnstone#1082, giantswarm/muster#1086.
  for (const [what, metadata] of [
    ['no way to prove itself', {}],
    ['a secret', { token_endpoint_auth_method: 'client_secret_post' }],
    ['a member that is no metadata', { resource: 'http://127.0.0.1/mcp', software_id: 'x', application_type: 'web' }],
    ['scopes of others', { scope: 'openid profile offline_access' }],
  ] as const)
    it(`a client that registers with ${what} is registered, and told that it is public`, async () => {
      await system.store.attempts.forget('registration', '127.0.0.1');
      const { status, body } = await new OAuthClient(system).register(metadata);
      assert.deepEqual([status, body.token_endpoint_auth_method, 'client_secret' in body], [201, 'none', false]);
    });

  // pomerium/pomerium#6786: by that code clients register again.
  it('a client that is not known, or no longer, is told so at the token endpoint', async () => {
    const client = new OAuthClient(system);
    client.id = 'c-0000000000';
    const { status, body } = await client.refresh(`pf_${'A'.repeat(43)}.${'A'.repeat(43)}`);
    assert.deepEqual([status, body.error], [400, 'invalid_client']);
  });
});

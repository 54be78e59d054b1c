import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { until } from '@perch/testkit';
import { somewhere } from '../console/browser.js';
import { hostClient } from '../console/host-client.js';
import { SessionClient } from '../console/session-client.js';
import { GatewayUnderTest, useGateway, useOwner } from '../gateway-under-test.js';
import { failed, OAuthClient, refused } from './oauth-client.js';

describe('authorization of MCP clients', () => {
  const lines: string[] = [];
  const system = useGateway({ trustedProxies: 1, logTo: lines, logLevel: 'debug' });
  const other = useGateway({ publicUrl: 'https://perch.example' });
  const owner = useOwner(system);
  let page: SessionClient;
  let client: OAuthClient;

  beforeEach(async () => {
    await system.store.attempts.forget('registration', '127.0.0.1');
    page = await SessionClient.signIn(system, owner.account);
    client = await OAuthClient.registered(system);
  });

  async function tokens(): Promise<{ access_token: string; refresh_token: string }> {
    const { status, body } = await client.exchange(await client.codeFrom(page));
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  it('a 401 of /mcp names the metadata of the resource, which names the authorization server, at the address that the client uses', async () => {
    const unauthorized = await client.tools('pk_none');
    assert.equal(unauthorized.status, 401);
    const challenge = unauthorized.headers.get('www-authenticate')!;
    assert.match(challenge, /^Bearer error="invalid_token", resource_metadata="/);
    const { status, headers } = await system.ask('POST', '/mcp', { body: {} });
    assert.deepEqual(
      [status, headers.get('www-authenticate')],
      [401, `Bearer resource_metadata="${system.base}/.well-known/oauth-protected-resource/mcp", scope="read act ask"`],
    );
    const resource = (await system.ask('GET', '/.well-known/oauth-protected-resource/mcp')).body;
    assert.deepEqual([resource.resource, resource.authorization_servers], [`${system.base}/mcp`, [system.base]]);
    const server = (await system.ask('GET', '/.well-known/oauth-authorization-server')).body;
    assert.deepEqual(
      [server.issuer, server.authorization_endpoint, server.code_challenge_methods_supported, server.authorization_response_iss_parameter_supported],
      [system.base, `${system.base}/authorize`, ['S256'], true],
    );
    for (const member of ['token_endpoint', 'registration_endpoint', 'revocation_endpoint'])
      assert.notEqual((await system.ask('POST', new URL(server[member]).pathname, { body: {} })).status, 404, member);
  });

  it('with a public address, metadata and challenge name that one; a host that is not the service gets none', async () => {
    const server = (await other.ask('GET', '/.well-known/oauth-authorization-server')).body;
    assert.deepEqual([server.issuer, server.token_endpoint], ['https://perch.example', 'https://perch.example/oauth/token']);
    const { headers } = await other.ask('POST', '/mcp', { body: {} });
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp']) {
      const rebound = await hostClient(system).ask('GET', path, { headers: { host: 'evil.example' } });
      assert.deepEqual(failed(rebound), [403, 'invalid_request']);
      // A target in absolute form counts in place of the Host header.
      const absolute = (host: string, header: string) => hostClient(system).ask('GET', `http://${host}${path}`, { headers: { host: header } });
      assert.deepEqual(failed(await absolute('evil.example', 'localhost')), [403, 'invalid_request']);
      assert.equal((await absolute('localhost', 'evil.example')).status, 200);
    }
    assert.match(headers.get('www-authenticate')!, /resource_metadata="https:\/\/perch\.example\/\.well-known\/oauth-protected-resource\/mcp"/);
  });

  it('metadata and challenge are the same on every gateway that a client reaches by one address', async () => {
    const beside = await GatewayUnderTest.start({ url: system.url });
    try {
      const headers = { host: new URL(system.base).host };
      const elsewhere = hostClient(beside);
      for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server'])
        assert.deepEqual((await elsewhere.ask('GET', path, { headers })).body, (await system.ask('GET', path)).body, path);
      const challenge = async (from: Pick<GatewayUnderTest, 'ask'>): Promise<string | null> =>
        (await from.ask('POST', '/mcp', { body: {}, headers })).headers.get('www-authenticate');
      assert.equal(await challenge(elsewhere), await challenge(hostClient(system)));
    } finally {
      await beside.stop();
    }
  });

  it('a client registers, is allowed, calls tools on every gateway, and is a key in the list', async () => {
    const asked = await client.find(page);
    assert.deepEqual(asked.body.client, { name: 'Agent', host: null, place: { kind: 'computer', name: 'this computer' } });
    assert.deepEqual([asked.body.scopes, asked.body.problem], [['read', 'act', 'ask'], null]);
    const issued = await tokens();
    for (const gateway of [system, other]) assert.equal((await client.tools(issued.access_token, gateway)).status, 200);
    const { keys } = (await page.ask('GET', 'keys')).body;
    const key = keys.find(({ id }: { id: string }) => id !== owner.keyId);
    assert.deepEqual([key.name, key.client, key.robots, key.scopes], ['Agent', 'this computer', '*', ['read', 'act', 'ask']]);
    await until(async () => (await page.ask('GET', 'keys')).body.keys.find(({ id }: { id: string }) => id === key.id).agent_at !== null, {
      what: 'the key to be that of an agent',
    });
  });

  it('tokens are answered as RFC 6749 says, and refreshed on another gateway', async () => {
    const answer = await client.exchange(await client.codeFrom(page, { scopes: ['read'] }));
    const { access_token, refresh_token, ...rest } = answer.body;
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'read' });
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const elsewhere = new OAuthClient(other);
    elsewhere.id = client.id;
    const refreshed = await elsewhere.refresh(refresh_token);
    assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body));
    assert.notEqual(refreshed.body.access_token, access_token);
  });

  // PrefectHQ/fastmcp#2966: ChatGPT sends the address of /mcp as it was given, with a query of its own.
  it('the resource of a client may have a slash or a query at its end, at consent, exchange and refresh', async () => {
    for (const end of ['/', '?server_id=65aebdca', '/?x']) {
      const resource = `${system.base}/mcp${end}`;
      const { body: allowed } = await client.allow(page, { resource });
      const { status, body } = await client.exchange(new URL(allowed.redirect).searchParams.get('code')!, { resource });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal((await client.refresh(body.refresh_token, { resource })).status, 200);
      assert.equal((await client.refresh(body.refresh_token)).status, 200, 'left out: the same resource');
    }
  });

  it('what the user leaves out is not granted: robots, and scopes', async () => {
    const left = await system.store.robots.create({ account: owner.account });
    const issued = (await client.exchange(await client.codeFrom(page, { robots: [owner.robot], scopes: ['read'] }))).body;
    const ask = (robot: string, action: string, body: object) =>
      system.ask('POST', `/v1/robots/${robot}/${action}`, { apiKey: issued.access_token, body });
    assert.equal((await ask(owner.robot, 'state', {})).status, 200);
    assert.deepEqual(refused(await ask(owner.robot, 'face', { emotion: 'happy' })), [403, 'scope_missing']);
    assert.deepEqual(refused(await ask(left.robot, 'state', {})), [404, 'unknown_robot']);
  });

  it('a code is used once: a replay gets nothing and ends what the first use got', async () => {
    const code = await client.codeFrom(page);
    const issued = (await client.exchange(code)).body;
    assert.deepEqual(failed(await client.exchange(code)), [400, 'invalid_grant']);
    for (const gateway of [system, other]) assert.equal((await client.tools(issued.access_token, gateway)).status, 401);
    assert.deepEqual(failed(await client.refresh(issued.refresh_token)), [400, 'invalid_grant']);
  });

  it('a refresh may ask for fewer scopes, for its access token alone, and for no more than the user allowed', async () => {
    const issued = (await client.exchange(await client.codeFrom(page, { scopes: ['read', 'act'] }))).body;
    const narrow = (await client.refresh(issued.refresh_token, { scope: 'read offline_access' })).body;
    assert.equal(narrow.scope, 'read');
    const face = (apiKey: string) => system.ask('POST', `/v1/robots/${owner.robot}/face`, { apiKey, body: { emotion: 'happy' } });
    assert.deepEqual(refused(await face(narrow.access_token)), [403, 'scope_missing']);
    assert.deepEqual(failed(await client.refresh(narrow.refresh_token, { scope: 'read ask' })), [400, 'invalid_scope']);
    const wide = (await client.refresh(narrow.refresh_token)).body;
    assert.equal(wide.scope, 'read act');
    assert.notDeepEqual(refused(await face(wide.access_token)), [403, 'scope_missing']);
  });

  it('a missing scope is a 403 that names what the token has and what is missing, once; declined, the next call is refused in words', async () => {
    const issued = (await client.exchange(await client.codeFrom(page, { scopes: ['read'] }))).body;
    const call = (name: string, args: object, apiKey = issued.access_token, at: Pick<GatewayUnderTest, 'ask'> = system) =>
      at.ask('POST', '/mcp', {
        apiKey,
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      });
    const metadata = `resource_metadata="${system.base}/.well-known/oauth-protected-resource/mcp"`;
    for (const [name, args, scope] of [
      ['robot_face', { emotion: 'happy' }, 'read act'],
      ['robot_ask', { question: 'Tea?', answers: ['Yes', 'No'] }, 'read ask'],
    ] as const) {
      const { status, headers } = await call(name, args);
      assert.deepEqual([status, headers.get('www-authenticate')], [403, `Bearer error="insufficient_scope", ${metadata}, scope="${scope}"`]);
      const again = await call(name, args, issued.access_token, other);
      assert.equal(again.status, 200);
      assert.match(JSON.stringify(again.body), /scope_missing/);
      assert.equal(again.headers.get('www-authenticate'), null);
    }
    const { apiKey } = await system.store.apiKeys.create({ account: owner.account, scopes: ['read'] });
    const ofKey = await call('robot_face', { emotion: 'happy' }, apiKey);
    assert.equal(ofKey.status, 200, 'nobody can be asked for the scope of a key');
    assert.match(JSON.stringify(ofKey.body), /scope_missing/);
  });

  it('two windows of a program that refresh one token at once, at two gateways, get the same tokens, and both go on', async () => {
    let { refresh_token: shared, access_token: first } = await tokens();
    const elsewhere = new OAuthClient(other);
    elsewhere.id = client.id;
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([client, elsewhere, client, elsewhere].map((window) => window.refresh(shared)));
      for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body));
      const [one, ...others] = answers.map(({ body: { expires_in: _expiresIn, ...body } }) => body);
      for (const each of others) assert.deepEqual(each, one);
      for (const token of [one.access_token, first])
        for (const gateway of [system, other]) assert.equal((await client.tools(token, gateway)).status, 200);
      first = one.access_token;
      shared = one.refresh_token;
    }
  });

  it('an older refresh token than the one before ends the connection, on every gateway', async () => {
    const issued = await tokens();
    const second = (await client.refresh(issued.refresh_token)).body;
    const third = (await client.refresh(second.refresh_token)).body;
    assert.equal((await client.tools(third.access_token)).status, 200);
    assert.deepEqual(failed(await client.refresh(issued.refresh_token)), [400, 'invalid_grant']);
    for (const token of [second.access_token, third.access_token])
      for (const gateway of [system, other]) assert.equal((await client.tools(token, gateway)).status, 401);
    assert.deepEqual(failed(await client.refresh(third.refresh_token)), [400, 'invalid_grant']);
    assert.ok(lines.some((line) => /"audit":"client_disconnect"/.test(line) && line.includes(owner.account)));
  });

  it('a key that the user revokes ends the tokens within a second on every gateway', async () => {
    const issued = await tokens();
    const { keys } = (await page.ask('GET', 'keys')).body;
    const { id } = keys.find((key: { client?: string }) => key.client !== undefined);
    assert.deepEqual(refused(await page.ask('POST', `keys/${id}/secret`, { overlap_s: 0 })), [409, 'conflict']);
    assert.equal((await page.ask('DELETE', `keys/${id}`)).status, 200);
    for (const gateway of [system, other]) assert.equal((await client.tools(issued.access_token, gateway)).status, 401);
    assert.deepEqual(failed(await client.refresh(issued.refresh_token)), [400, 'invalid_grant']);
  });

  it('a client ends its own connection, and no API key nor the connection of another client', async () => {
    const issued = await tokens();
    const stranger = await OAuthClient.registered(system);
    for (const token of [issued.access_token, issued.refresh_token, 'x', owner.apiKey]) assert.equal((await stranger.revoke(token)).status, 200);
    assert.equal((await client.revoke(owner.apiKey)).status, 200);
    assert.equal((await client.tools(owner.apiKey)).status, 200);
    assert.equal((await client.tools(issued.access_token)).status, 200);
    assert.equal((await client.revoke(issued.refresh_token)).status, 200);
    assert.equal((await client.tools(issued.access_token)).status, 401);
  });

  it('a code is exchanged only by its client, with its verifier, redirect URI and resource', async () => {
    const code = await client.codeFrom(page);
    const stranger = await OAuthClient.registered(system);
    for (const [changed, error] of [
      [{ client_id: stranger.id }, 'invalid_grant'],
      [{ client_id: 'c-0000000000' }, 'invalid_client'],
      [{ code_verifier: stranger.verifier }, 'invalid_grant'],
      [{ code_verifier: 'short' }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
      [{ resource: 'https://evil.example/mcp' }, 'invalid_target'],
      [{ code: 'pf_x' }, 'invalid_grant'],
      [{ code: owner.apiKey }, 'invalid_grant'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ grant_type: '' }, 'invalid_request'],
    ] as const)
      assert.deepEqual(failed(await client.exchange(code, changed)), [400, error], JSON.stringify(changed));
    assert.deepEqual(failed(await client.post('/oauth/token', 'grant_type=refresh_token&grant_type=x')), [400, 'invalid_request']);
    assert.deepEqual(failed(await client.post('/oauth/token', '{}', { 'content-type': 'application/json' })), [400, 'invalid_request']);
    assert.deepEqual(failed(await client.post('/oauth/token', 'x=1', { authorization: 'Basic eDp5' })), [401, 'invalid_client']);
    assert.deepEqual(failed(await client.post('/oauth/token', 'x'.repeat(10_000))), [413, 'invalid_request']);
    assert.equal((await client.exchange(code)).status, 200, 'and no wrong request used it up');
  });

  for (const [metadata, error] of [
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: 'x' }, 'invalid_redirect_uri'],
    [{ redirect_uris: [1] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['http://client.example/'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: Array.from({ length: 11 }, (_, i) => `https://client.example/${i}`) }, 'invalid_redirect_uri'],
    [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ response_types: ['token'] }, 'invalid_client_metadata'],
  ] as const)
    it(`a client does not register with ${JSON.stringify(metadata).slice(0, 60)}`, async () => {
      assert.deepEqual(failed(await client.register(metadata)), [400, error]);
    });

  it('a client without a name that can be shown is named by its address, and a long one is cut', async () => {
    const nameOf = async (client_name: unknown) =>
      (await client.register({ client_name, redirect_uris: ['https://client.example/x'] })).body.client_name;
    for (const name of ['', ' ', 5, 'a\u202eb', undefined]) assert.equal(await nameOf(name), 'client.example');
    assert.equal(await nameOf('x'.repeat(1000)), 'x'.repeat(60));
  });

  it('a network registers 100 clients an hour, and what is refused is not counted', async () => {
    const headers = somewhere();
    for (let i = 0; i < 100; i++) {
      assert.equal((await client.register({ redirect_uris: ['http://client.example/'] }, headers)).status, 400);
      assert.equal((await client.register({}, headers)).status, 201);
    }
    const answer = await client.register({}, headers);
    assert.deepEqual(failed(answer), [429, 'temporarily_unavailable']);
    assert.ok(Number(answer.headers.get('retry-after')) > 3000);
    assert.equal((await client.register({}, somewhere())).status, 201);
  });

  it('the networks of one site cannot register so many clients at two gateways that others cannot register or be allowed', async () => {
    const beside = await GatewayUnderTest.start({ url: system.url, trustedProxies: 1 });
    try {
      const clients = [client, new OAuthClient(beside)];
      const victim = await OAuthClient.registered(system);
      const site = `2001:db8:${randomBytes(2).toString('hex')}`;
      const statuses: number[] = [];
      for (let i = 0; i < 300; i++)
        statuses.push((await clients[i % 2]!.register({}, { 'x-forwarded-for': `${site}:${i % 10}::${i.toString(16)}` })).status);
      assert.deepEqual([statuses.filter((status) => status === 201).length, statuses.at(-1)], [200, 429]);
      assert.equal((await clients[0]!.register({}, { 'x-forwarded-for': `${site}:ffff::1` })).headers.get('retry-after') !== null, true);
      assert.equal((await clients[1]!.register({}, somewhere())).status, 201);
      assert.equal((await victim.exchange(await victim.codeFrom(page))).status, 200);
    } finally {
      await beside.stop();
    }
  });

  it('pages of any origin may read metadata, register and exchange codes, without a cookie', async () => {
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type, mcp-protocol-version' };
    const headers = { origin: 'https://client.example', ...asked };
    for (const path of ['/.well-known/oauth-authorization-server', '/oauth/register', '/oauth/token', '/oauth/revoke']) {
      const preflight = await fetch(`${system.base}${path}`, { method: 'OPTIONS', headers });
      assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [200, '*'], path);
      assert.equal(preflight.headers.get('access-control-allow-credentials'), null);
      // The official SDKs send it with every request, those for metadata among them.
      assert.match(preflight.headers.get('access-control-allow-headers')!, /\bmcp-protocol-version\b/, path);
    }
  });

  it("the session of a signed-in browser admits to nothing at /mcp, whose pages' requests are allowed from any origin", async () => {
    const { secret } = await system.store.sessions.begin(owner.account);
    const { status } = await system.ask('POST', '/mcp', {
      headers: { cookie: `perch_session=${secret}`, origin: system.base },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
    assert.equal(status, 401);
  });

  it('no secret is in the log', async () => {
    const issued = await tokens();
    const { refresh_token: next } = (await client.refresh(issued.refresh_token)).body;
    await client.revoke(next);
    const text = lines.join('\n');
    for (const secret of [issued.access_token, issued.refresh_token, next, client.verifier, client.state])
      for (const part of secret.split('.')) assert.ok(!text.includes(part));
  });
});

import assert from 'node:assert/strict';
import { SessionClient } from '../console/session-client.js';
import { useGateway, useOwner } from '../gateway-under-test.js';
import { callback, OAuthClient, refused } from './oauth-client.js';

describe('consent to MCP clients', () => {
  const system = useGateway({ trustedProxies: 1 });
  const other = useGateway({ publicUrl: 'https://perch.example' });
  const owner = useOwner(system);
  let page: SessionClient;
  let client: OAuthClient;

  beforeEach(async () => {
    await system.store.attempts.forget('registration', '127.0.0.1');
    page = await SessionClient.signIn(system, owner.account);
    client = await OAuthClient.registered(system);
  });

  it('the browser is not sent to an address that the client did not register', async () => {
    for (const redirect_uri of [
      'https://evil.example/callback',
      'http://127.0.0.1:33418/other',
      'http://localhost:33418/callback',
      'javascript:alert(1)',
      `${callback}#x`,
      `${callback}/../x`,
    ]) {
      for (const answer of [await client.find(page, { redirect_uri }), await client.allow(page, { redirect_uri })]) {
        assert.deepEqual(refused(answer), [400, 'bad_argument'], redirect_uri);
        assert.ok(!JSON.stringify(answer.body).includes('"redirect"'));
      }
    }
    for (const client_id of [
      'c-0000000000',
      '*',
      null,
      'constructor',
      'http://127.0.0.1:1/x',
      'https://localhost/client.json',
      'https://10.0.0.1/client.json',
    ])
      assert.deepEqual(refused(await client.find(page, { client_id })), [400, 'bad_argument'], String(client_id));
    assert.deepEqual(refused(await page.ask('POST', 'authorizations/find', { query: `${client.query()}&client_id=x` })), [400, 'bad_argument']);
    const moved = await client.allow(page, { redirect_uri: 'http://127.0.0.1:40000/callback' });
    assert.match(moved.body.redirect, /^http:\/\/127\.0\.0\.1:40000\/callback\?code=/, 'a program may listen on another port');
  });

  it('the query of a registered address is retained as it is, and matched as a text', async () => {
    for (const query of ['?server_id=65aebdca-613a', '?a=b%20c~&flag', '?', '']) {
      const redirect_uri = `warp://mcp/oauth2callback${query}`;
      const warp = await OAuthClient.registered(system, { redirect_uris: [redirect_uri] });
      const { body } = await warp.allow(page, { redirect_uri });
      const start = `${redirect_uri}${query === '' ? '?' : query === '?' ? '' : '&'}code=pf_`;
      assert.equal(body.redirect.slice(0, start.length), start);
      assert.deepEqual(refused(await warp.allow(page, { redirect_uri: `${redirect_uri}x` })), [400, 'bad_argument'], redirect_uri);
      const { redirect_uris } = (await warp.register({ redirect_uris: [redirect_uri] })).body;
      assert.deepEqual(redirect_uris, [redirect_uri], 'a client learns what is compared');
    }
  });

  it('a request that is wrong otherwise is refused on the page, with an address that tells the client why', async () => {
    for (const [changed, error] of [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge: null }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: null }, 'invalid_request'],
      [{ resource: 'https://evil.example/mcp' }, 'invalid_target'],
      [{ resource: `${system.base}/mcp?x#y` }, 'invalid_target'],
      [{ resource: `${system.base}?x=/mcp` }, 'invalid_target'],
    ] as const) {
      const { body } = await client.find(page, changed);
      const { searchParams, origin } = new URL(body.cancel);
      assert.deepEqual([origin, searchParams.get('error'), searchParams.get('state')], ['http://127.0.0.1:33418', error, client.state]);
      assert.equal(searchParams.get('iss'), system.base);
      assert.equal(typeof body.problem, 'string');
      assert.deepEqual(refused(await client.allow(page, changed)), [400, 'bad_argument']);
    }
    const cancelled = new URL((await client.find(page)).body.cancel);
    assert.equal(cancelled.searchParams.get('error'), 'access_denied');
  });

  it('scopes of others are ignored, and no scope is granted that the client does not ask for', async () => {
    assert.deepEqual((await client.find(page, { scope: 'openid read offline_access' })).body.scopes, ['read']);
    for (const scope of ['openid', null]) assert.deepEqual((await client.find(page, { scope })).body.scopes, ['read', 'act', 'ask']);
    assert.deepEqual(refused(await client.allow(page, { scope: 'read' }, { scopes: ['read', 'act'] })), [400, 'bad_argument']);
    assert.deepEqual(refused(await client.allow(page, {}, { scopes: ['approve'] })), [400, 'bad_argument']);
    assert.deepEqual((await client.find(page, { scope: 'approve' })).body.scopes, ['approve']);
    for (const path of ['oauth-protected-resource/mcp', 'oauth-authorization-server'])
      assert.deepEqual((await system.ask('GET', `/.well-known/${path}`)).body.scopes_supported, ['read', 'act', 'ask'], path);
    for (const wrong of [{ scopes: [] }, { scopes: ['admin'] }, { robots: [] }, { robots: ['x'] }, { more: 1 }])
      assert.deepEqual(refused(await client.allow(page, {}, wrong)), [400, 'bad_argument'], JSON.stringify(wrong));
  });

  it("consent is the signed-in user's: no other page, site, session or account gives it, nor the robots of another account", async () => {
    const body = { query: client.query(), robots: '*', scopes: ['read'] };
    const send = (headers: Record<string, string>) => system.ask('POST', '/console/authorizations', { body, headers });
    assert.deepEqual(refused(await send({})), [401, 'signed_out']);
    const { cookie, 'x-csrf-token': csrf } = page.headers as { cookie: string; 'x-csrf-token': string };
    assert.deepEqual(refused(await send({ cookie })), [403, 'forbidden']);
    const stranger = await system.owner();
    const theirs = await SessionClient.signIn(system, stranger.account);
    assert.deepEqual(
      refused(await send({ cookie, 'x-csrf-token': theirs.headers['x-csrf-token']! })),
      [403, 'forbidden'],
      'a page of another account',
    );
    for (const foreign of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
      assert.deepEqual(refused(await send({ cookie, 'x-csrf-token': csrf, ...foreign })), [403, 'forbidden']);
    assert.deepEqual(refused(await send({ authorization: `Bearer ${owner.apiKey}` })), [401, 'signed_out']);
    assert.deepEqual(refused(await client.allow(page, {}, { robots: [stranger.robot] })), [400, 'bad_argument']);
    const token = (await client.exchange(await client.codeFrom(theirs))).body.access_token;
    assert.equal((await system.ask('POST', `/v1/robots/${owner.robot}/state`, { apiKey: token, body: {} })).status, 404);
    assert.equal((await page.ask('GET', 'keys')).body.keys.length, 1, 'and none of this was the consent of this account');
  });

  it('the code goes to the client with the issuer, so that a mixed-up client sees that another server answers', async () => {
    const { searchParams } = new URL((await client.allow(page)).body.redirect);
    assert.equal(searchParams.get('iss'), (await system.ask('GET', '/.well-known/oauth-authorization-server')).body.issuer);
    const elsewhere = new OAuthClient(other);
    elsewhere.id = client.id;
    const mixedUp = await elsewhere.exchange(searchParams.get('code')!, { code_verifier: client.verifier });
    assert.notEqual(mixedUp.status, 200);
  });

  it('an account with all its keys gives no consent', async () => {
    await system.store.accountLimits.set(owner.account, { keys: 1 });
    const answer = await client.allow(page);
    assert.deepEqual(refused(answer), [409, 'conflict']);
  });
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { formDocument } from '@perch/schema';
import { useGateway, type Owner, type Answer } from '../gateway-under-test.js';
import { Browser } from './browser.js';

const failed = ({ status, body }: Answer): unknown[] => [status, body.code];

describe('authentication of the console', () => {
  const system = useGateway({ trustedProxies: 1, accountSettings: { signUp: 'open', oidc: null } });
  let owner: Owner;
  let browser: Browser;

  before(async () => {
    owner = await system.ownerOnline();
    browser = new Browser(system);
    const link = await system.store.signInTokens.make(owner.account, 60_000);
    await browser.ask('POST', 'session', { link });
  });

  const face = (headers: Record<string, string> = {}) => browser.ask('POST', `v1/robots/${owner.robot}/face`, { emotion: 'happy' }, headers);

  it('serves the whole API to a session under /console/v1, with a bucket of its own', async () => {
    const acted = await face();
    assert.deepEqual([acted.status, acted.body.ok], [200, true]);
    assert.ok(acted.headers.has('ratelimit'));
    assert.equal((await browser.ask('GET', 'v1/robots')).body.robots[0].id, owner.robot);
    assert.deepEqual((await browser.ask('GET', 'v1/actions')).body, JSON.parse(JSON.stringify(formDocument())));
    assert.deepEqual(failed(await browser.ask('GET', 'v1/nothing')), [404, 'not_found']);
    assert.deepEqual(failed(await browser.ask('POST', `v1/robots/${owner.robot}/face`, { emotion: 'odd' })), [400, 'bad_argument']);
  });

  it('rejects a request that changes something without the CSRF token of its session', async () => {
    const other = new Browser(system);
    await other.signUp(`${randomUUID()}@example.org`);
    for (const token of ['', 'x', other.csrf, `${browser.csrf}x`, browser.cookies.get('perch_session')!]) {
      assert.deepEqual(failed(await face({ 'x-csrf-token': token })), [403, 'forbidden'], token);
      assert.deepEqual(failed(await browser.ask('DELETE', 'session', undefined, { 'x-csrf-token': token })), [403, 'forbidden']);
      assert.deepEqual(failed(await browser.ask('PUT', 'password', { password: 'a good long one' }, { 'x-csrf-token': token })), [403, 'forbidden']);
    }
    assert.equal(await browser.signedIn(), true);
  });

  it('rejects all requests from other origins, by Origin or Sec-Fetch-Site', async () => {
    const port = new URL(system.base).port;
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
      { origin: 'null' },
      { origin: 'http://127.0.0.1' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { host: `rebound.example:${port}`, origin: `http://rebound.example:${port}` },
    ];
    for (const headers of foreign) {
      const why = JSON.stringify(headers);
      assert.deepEqual(failed(await face(headers)), [403, 'forbidden'], why);
      for (const path of ['session', 'robots', 'live', 'v1/robots', 'nothing'])
        assert.deepEqual(failed(await browser.ask('GET', path, undefined, headers)), [403, 'forbidden'], `${path} ${why}`);
      for (const path of ['session', 'accounts'])
        assert.deepEqual(failed(await browser.ask('POST', path, { email: 'a@b.c', password: 'long enough' }, headers)), [403, 'forbidden'], why);
    }
    for (const headers of [{ origin: system.base }, { 'sec-fetch-site': 'none' }])
      assert.equal((await face({ ...headers } as Record<string, string>)).status, 200);
  });

  it('rejects a session in place of an API key, and an API key in place of a session', async () => {
    const secret = browser.cookies.get('perch_session')!;
    for (const path of ['/v1/robots', '/v1/actions']) {
      assert.deepEqual(failed(await system.ask('GET', path, { apiKey: secret })), [401, 'unauthorized']);
      assert.deepEqual(failed(await system.ask('GET', path, { headers: { cookie: browser.cookie } })), [401, 'unauthorized']);
    }
    assert.equal((await system.ask('POST', '/mcp', { apiKey: secret, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })).status, 401);
    for (const headers of [
      { cookie: `perch_session=${owner.apiKey}` },
      { authorization: `Bearer ${owner.apiKey}` },
      { authorization: `Bearer ${secret}` },
    ])
      assert.deepEqual(failed(await system.ask('GET', '/console/v1/robots', { headers: headers as Record<string, string> })), [401, 'signed_out']);
  });

  it('rejects a request with two session cookies', async () => {
    const headers = { cookie: `${browser.cookie}; ${browser.cookie}` };
    assert.deepEqual(failed(await system.ask('GET', '/console/v1/robots', { headers })), [401, 'signed_out']);
  });

  it('ends a waiting request when its session is revoked', async () => {
    const other = new Browser(system);
    await other.ask('POST', 'session', { link: await system.store.signInTokens.make(owner.account, 60_000) });
    const held = other.ask('GET', `v1/robots/${owner.robot}/events?seconds=20&names=tap`);
    await system.untilHolds(1, 'poll');
    const keyHashes = await system.store.connections.commands.zrange(`perch:{${owner.account}}:sessions`, '0', '-1');
    assert.equal(keyHashes.length, 2);
    await system.store.sessions.endAll(owner.account, await hashOf(browser));
    assert.deepEqual(failed(await held), [401, 'unauthorized']);
    assert.equal(await browser.signedIn(), true);
  });

  it('answers 404 for unknown and undecodable paths, and 405 with Allow for a wrong method', async () => {
    assert.deepEqual(failed(await browser.ask('GET', 'nothing')), [404, 'not_found']);
    assert.deepEqual(failed(await browser.ask('GET', 'robots/%E0%A4%A/screen')), [404, 'not_found']);
    const wrong = await browser.ask('PATCH', 'session', {});
    assert.deepEqual([...failed(wrong), wrong.headers.get('allow')], [405, 'method_not_allowed', 'GET, HEAD, POST, DELETE']);
    assert.deepEqual(failed(await system.ask('GET', '/console')), [404, 'not_found']);
  });

  async function hashOf({ cookies }: Browser): Promise<string> {
    const admitted = await system.store.apiKeys.admit({ apiKey: cookies.get('perch_session')!, cost: 0 });
    assert.ok(admitted.ok);
    return admitted.keyHash;
  }
});

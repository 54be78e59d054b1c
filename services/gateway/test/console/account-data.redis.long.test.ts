/** Downloading all data of an account, and deleting the account, on the page. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createLogger } from '@perch/runtime';
import { needsRealRedis, redisMentions, redisUrl, until } from '@perch/testkit';
import { AccountRemovals } from '../../src/console/accounts/account-removals.js';
import { useGateway } from '../gateway-under-test.js';
import { Browser, failed, passphrase } from './browser.js';

const wrongPassword = 'not the right password';

describe('the data of an account in the console', () => {
  const lines: string[] = [];
  before(async function () {
    needsRealRedis(this, await redisUrl(), 'the speed to read every key within a second');
  });
  const system = useGateway({ trustedProxies: 1, accountSettings: { signUp: 'open', oidc: null }, logTo: lines });
  let browser: Browser;
  let email: string;
  let account: string;

  beforeEach(async () => {
    email = `Ann.${randomUUID()}@example.org`;
    browser = newBrowser();
    account = (await browser.signUp(email)).body.account.id;
  });

  const newBrowser = (): Browser => new Browser(system);

  const download = () => browser.ask('GET', 'account/export');
  const remove = (body: object, headers: Record<string, string> = {}) => browser.ask('POST', 'account/removal', body, headers);
  const audits = () =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['account'] === account && line['audit']);

  it('is the document of the command, without a secret, also of what the account did a moment ago', async () => {
    await browser.ask('POST', 'keys', { name: 'laptop', robots: '*' });
    const { robot } = (await browser.ask('POST', 'robots', { virtual: true, name: 'Desk' })).body;
    const { status, headers, body } = await download();
    assert.equal(status, 200);
    assert.match(headers.get('content-disposition')!, /^attachment; filename="perch-account-\d{4}-\d\d-\d\d\.json"$/);
    assert.equal(headers.get('cache-control'), 'no-store');
    const pieces: string[] = [];
    for await (const piece of system.store.accountExport.write((await system.store.accounts.get(account))!)) pieces.push(piece);
    const steady = (document: any): object => ({
      ...document,
      exported_at: '',
      // The download itself is recorded after the document.
      activity: document.activity.filter(({ action }: { action: string }) => action !== 'account_export'),
      sign_in: { ...document.sign_in, sessions: document.sign_in.sessions.length },
    });
    assert.deepEqual(steady(body), steady(JSON.parse(pieces.join(''))));
    assert.deepEqual([body.account.email, body.robots[0].id, body.keys[0].name], [email, robot.id, 'laptop']);
    assert.deepEqual(
      body.activity.map(({ action }: { action: string }) => action),
      ['sign_up', 'key_create', 'robot_add'],
    );
    assert.doesNotMatch(JSON.stringify(body), /(pk|ps|rt|pd)_[\w-]{20}|\$argon2/);
    await until(() => audits().some(({ audit, outcome }) => audit === 'account_export' && outcome === 'ok'));
  });

  it('is downloaded at most ten times an hour, and not counted by HEAD', async () => {
    for (let i = 0; i < 10; i++) {
      assert.equal((await download()).status, 200);
      assert.equal(
        (await fetch(`${system.base}/console/account/export`, { method: 'HEAD', headers: { ...browser.headers, cookie: browser.cookie } })).status,
        200,
      );
    }
    const refused = await download();
    assert.deepEqual(failed(refused), [429, 'too_many_attempts', null]);
    assert.match(refused.body.error, /^Too many downloads\. Try again in (59|60) minutes\.$/);
    assert.ok(Number(refused.headers.get('retry-after')) > 3000);
    const other = newBrowser();
    await other.signUp(`${randomUUID()}@example.org`);
    assert.equal((await other.ask('GET', 'account/export')).status, 200);
  });

  it('needs the session of a page of this service: an API key opens neither, and no other site does', async () => {
    const { apiKey } = await system.store.apiKeys.create({ account });
    const foreign = { 'sec-fetch-site': 'cross-site' };
    for (const [method, path, body] of [
      ['GET', 'account/export', undefined],
      ['POST', 'account/removal', { email, password: passphrase }],
    ] as const) {
      const withKey = { authorization: `Bearer ${apiKey}` };
      for (const headers of [withKey, { cookie: `perch_session=${apiKey}`, 'x-csrf-token': browser.csrf }])
        assert.deepEqual(failed(await system.ask(method, `/console/${path}`, { body, headers })), [401, 'signed_out', null]);
      assert.equal((await system.ask(method, `/v1/${path}`, { body, headers: withKey })).status, 404);
      assert.equal(
        (await system.ask(method, `/console/v1/${path}`, { body, headers: { cookie: browser.cookie, 'x-csrf-token': browser.csrf } })).status,
        404,
      );
      assert.deepEqual(failed(await browser.ask(method, path, body, foreign)), [403, 'forbidden', null]);
    }
    for (const token of ['', 'x', browser.cookies.get('perch_session')!])
      assert.deepEqual(failed(await remove({ email, password: passphrase }, { 'x-csrf-token': token })), [403, 'forbidden', null]);
    assert.equal(await browser.signedIn(), true);
    assert.notEqual(await system.store.accounts.get(account), null);
  });

  it('is deleted only with the typed address and the password, and ten wrong passwords stop further ones', async () => {
    assert.deepEqual(failed(await remove({})), [400, 'bad_argument', 'email']);
    assert.deepEqual(failed(await remove({ email: 'someone@example.org', password: passphrase })), [400, 'bad_argument', 'email']);
    assert.deepEqual(failed(await remove({ email })), [400, 'bad_argument', 'password']);
    assert.deepEqual(failed(await remove({ email, password: passphrase, really: true })), [400, 'bad_argument', 'really']);
    for (let i = 0; i < 10; i++) assert.deepEqual(failed(await remove({ email, password: wrongPassword })), [401, 'wrong_credentials', 'password']);
    const locked = await remove({ email, password: passphrase });
    assert.deepEqual(failed(locked), [429, 'too_many_attempts', null]);
    assert.ok(Number(locked.headers.get('retry-after')) > 800);
    assert.equal(await browser.signedIn(), true);
    await until(() => audits().filter(({ audit, outcome }) => audit === 'account_remove' && outcome === 'wrong_credentials').length > 0);
  });

  it('is deleted completely: sessions and keys end before the response, robots are closed with 4003, and no key in Redis names the account', async () => {
    const elsewhere = newBrowser();
    await elsewhere.signIn(email);
    const { key, api_key: apiKey } = (await browser.ask('POST', 'keys', { name: 'laptop', robots: '*' })).body;
    const { robot, token } = (await browser.ask('POST', 'robots', { virtual: true, name: 'Desk' })).body;
    await system.link.take(robot.id, token);
    assert.equal((await browser.ask('POST', 'v1/webhooks', { url: 'https://example.com/hook' })).status, 200);
    assert.equal((await system.ask('GET', '/v1/robots', { apiKey })).status, 200);
    const closed = system.link.closed.length;

    const answer = await remove({ email: ` ${email.toUpperCase()} `, password: passphrase });
    assert.deepEqual([answer.status, answer.body.signed_in], [200, false]);
    assert.equal(browser.cookies.has('perch_session'), false);
    assert.equal((await system.ask('GET', '/v1/robots', { apiKey })).status, 401);
    assert.deepEqual(failed(await elsewhere.ask('GET', 'robots')), [401, 'signed_out', null]);
    assert.equal((await elsewhere.signIn(email)).status, 401);
    await until(() => system.link.closed.length > closed);
    assert.deepEqual(system.link.closed.at(-1), { robot: robot.id, code: 4003 });
    const mentions = () => redisMentions(system.store.connections.commands, [account, email, robot.id, key.id]);
    await until(async () => (await mentions()).length === 0, { what: 'nothing in Redis to name the account' });
    assert.equal((await newBrowser().signUp(email)).status, 200, 'the address can be used again');
    const [line] = audits().filter(({ audit, outcome }) => audit === 'account_remove' && outcome === 'ok');
    assert.ok(line);
    for (const secret of [email, passphrase, wrongPassword]) assert.equal(lines.join('').toLowerCase().includes(secret.toLowerCase()), false);
  });

  it('is deleted without a password if the account has none', async () => {
    const address = `${randomUUID()}@example.org`;
    const linked = await system.store.accounts.create({ email: address });
    const one = newBrowser();
    await one.ask('POST', 'session', { link: await system.store.signInTokens.make(linked.account, 60_000) });
    assert.deepEqual(failed(await one.ask('POST', 'account/removal', { email })), [400, 'bad_argument', 'email']);
    assert.equal((await one.ask('POST', 'account/removal', { email: address })).body.signed_in, false);
    await until(async () => (await system.store.accounts.idOf(address)) === null);
  });

  it('is deleted by another gateway if the first one stops in between', async () => {
    const log = createLogger({ level: 'silent', service: 'gateway', instance: 'test' });
    const { store } = system;
    const stopping = new AccountRemovals({ store, log, passes: { settledAfterMs: 60_000, resumedAfterMs: 0 } });
    await stopping.begin(account, email);
    await stopping.stop();
    assert.equal(await store.accounts.idOf(email), account);
    const other = new AccountRemovals({ store, log, lookEveryMs: 20, passes: { settledAfterMs: 0, passEveryMs: 10 } });
    other.start();
    await until(async () => (await store.accounts.idOf(email)) === null);
    await other.stop();
    assert.deepEqual(await redisMentions(store.connections.commands, [account, email]), []);
  });

  it('is not deleted while the gateway deletes four others', async () => {
    const log = createLogger({ level: 'silent', service: 'gateway', instance: 'test' });
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const accountRemoval = {
      resume: async () => null,
      remove: async (_: string, { onRevoked = () => {} } = {}) => {
        onRevoked();
        await ended;
        return null;
      },
    };
    const removals = new AccountRemovals({ store: { accountRemoval }, log });
    for (let i = 0; i < 4; i++) await removals.begin(`a-${i}`, `${i}@example.org`);
    await assert.rejects(removals.begin('a-5', '5@example.org'), { code: 'too_busy', retryAfterS: 60 });
    end();
    await removals.stop();
    await removals.begin('a-5', '5@example.org');
  });
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { GatewayUnderTest, useGateway, type Answer } from '../gateway-under-test.js';
import { Authenticator, type Deviation } from './authenticator.js';
import { email, failed, passphrase, type Browser } from './browser.js';
import { accountWithPasskey, add, browserAt, optionsOf, signInBy } from './passkey-ceremonies.js';
import { hostClient } from './host-client.js';

describe('passkeys of the console', () => {
  const lines: string[] = [];
  const system = useGateway({ trustedProxies: 1, logTo: lines });
  const behindTls = useGateway({ trustedProxies: 1, publicUrl: 'https://perch.example' });
  let browser: Browser;
  let authenticator: Authenticator;
  /** Of the page. */
  let origin: string;

  before(() => {
    origin = `http://localhost:${new URL(system.base).port}`;
  });
  beforeEach(() => {
    browser = newBrowser();
    authenticator = new Authenticator();
  });

  const newBrowser = (at = origin, of = system): Browser => browserAt(at, of);
  const signIn = (using: Authenticator, change: Deviation = {}, by = newBrowser()): Promise<Answer> => signInBy(by, using, change);
  const withPasskey = (name = 'phone') => accountWithPasskey(browser, authenticator, name);

  async function remove(by: Browser, id: string, current = passphrase): Promise<Answer> {
    return by.ask('POST', `passkeys/${id}/removal`, { current });
  }

  it('adds a passkey after the password, lists it without its key, and signs in with it in another browser without e-mail address', async () => {
    const { account, id } = await withPasskey();
    const listed = (await browser.ask('GET', 'passkeys')).body;
    const { created_at: createdAt, ...passkey } = listed.passkeys[0];
    assert.deepEqual([listed.passkeys.length, passkey], [1, { id, name: 'phone', host: 'localhost', synced: false, last_used: null }]);
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    assert.equal(JSON.stringify(listed).includes(authenticator.id), false);

    const other = newBrowser();
    const signedIn = await signIn(authenticator, {}, other);
    assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
    assert.deepEqual([signedIn.body.account.id, signedIn.body.account.has_passkey], [account, true]);
    assert.equal((await other.ask('GET', 'v1/robots')).status, 200);
    assert.ok((await browser.ask('GET', 'passkeys')).body.passkeys[0].last_used !== null);
    assert.equal((await signIn(authenticator)).status, 200, 'once more');
  });

  it('offers passkeys that are discoverable and verify the user, and excludes those that the account has', async () => {
    const { account } = await withPasskey();
    const creation = (await optionsOf(browser, 'passkeys/options', { current: passphrase })) as any;
    assert.deepEqual(creation.rp, { name: 'Perch', id: 'localhost' });
    assert.equal(Buffer.from(creation.user.id, 'base64url').toString(), account);
    const { residentKey, userVerification } = creation.authenticatorSelection;
    assert.deepEqual([residentKey, userVerification, creation.attestation], ['required', 'required', 'none']);
    assert.deepEqual(
      creation.excludeCredentials.map(({ id, transports }: any) => [id, transports]),
      [[authenticator.id, ['internal']]],
    );
    const request = (await optionsOf(newBrowser(), 'session/options')) as any;
    assert.deepEqual([request.rpId, request.userVerification, request.allowCredentials ?? []], ['localhost', 'required', []]);
    assert.notEqual(request.challenge, ((await optionsOf(newBrowser(), 'session/options')) as any).challenge);
  });

  it('names a passkey after browser and system unless it is given a name', async () => {
    browser.headers['user-agent'] = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
    await browser.signUp(email());
    assert.equal((await add(browser, authenticator)).body.passkey.name, 'Firefox on Linux');
  });

  it('refuses to begin without the right password of the account, and audits the refusal', async () => {
    await browser.signUp(email());
    const begin = (body: object) => browser.ask('POST', 'passkeys/options', body);
    assert.deepEqual(failed(await begin({})), [400, 'bad_argument', 'current']);
    const seen = lines.length;
    assert.deepEqual(failed(await begin({ current: 'not the right one' })), [401, 'wrong_credentials', 'current']);
    assert.match(lines.slice(seen).join(''), /"audit":"passkey_add","outcome":"wrong_credentials"/);
    for (let i = 0; i < 9; i++) assert.equal((await begin({ current: 'not the right one' })).status, 401);
    assert.deepEqual(failed(await begin({ current: passphrase })), [429, 'too_many_attempts', null]);
  });

  it('adds and removes a passkey of an account without password by its session alone', async () => {
    const { account } = await system.store.accounts.create({
      email: email(),
      identity: { issuer: 'https://provider.example', subject: randomUUID() },
    });
    await browser.ask('POST', 'session', { link: await system.store.signInTokens.make(account, 60_000) });
    const options = await optionsOf(browser, 'passkeys/options');
    const added = await browser.ask('POST', 'passkeys', { passkey: authenticator.create(options, origin) });
    assert.equal(added.status, 200, JSON.stringify(added.body));
    assert.equal((await signIn(authenticator)).body.account.id, account);
    assert.equal((await browser.ask('POST', `passkeys/${added.body.passkey.id}/removal`, {})).status, 200);
    assert.equal((await signIn(authenticator)).status, 401);
  });

  it('refuses a new passkey whose response does not fit its challenge, page, user or session, and stores nothing', async () => {
    await withPasskey();
    const other = newBrowser();
    await other.signUp(email());
    const fresh = () => new Authenticator();
    const begin = (by = browser) => optionsOf(by, 'passkeys/options', { current: passphrase });
    const finish = (passkey: object) => browser.ask('POST', 'passkeys', { name: 'x', passkey });
    const used = fresh().create(await begin(), origin);
    assert.equal((await finish(used)).status, 200);
    const certificate = new Map<unknown, unknown>([
      ['alg', -7],
      ['sig', Buffer.from('sig')],
      ['x5c', [Buffer.from('certificate')]],
    ]);
    const attempts: [string, object][] = [
      ['another origin', fresh().create(await begin(), 'https://evil.example')],
      ['another host name', fresh().create(await begin(), origin, { rpId: 'evil.example' })],
      ['no verified user', fresh().create(await begin(), origin, { userVerified: false })],
      ['a used challenge', used],
      ['the challenge of another account', fresh().create(await begin(other), origin)],
      ['a challenge for a sign-in', fresh().create({ ...(await begin()), ...(await optionsOf(browser, 'session/options')) }, origin)],
      ['the passkey of this account', authenticator.create(await begin(), origin)],
      ['an attestation with a certificate', fresh().create(await begin(), origin, { format: 'packed', attestation: certificate })],
      ['an attestation of another format', fresh().create(await begin(), origin, { format: 'apple', attestation: certificate })],
    ];
    for (const [what, passkey] of attempts) assert.deepEqual(failed(await finish(passkey)), [400, 'bad_argument', 'passkey'], what);
    assert.equal((await browser.ask('GET', 'passkeys')).body.passkeys.length, 2);
    // The passkey of one account is not added to another.
    assert.deepEqual(failed(await add(other, new Authenticator({ credential: authenticator.credential }))), [400, 'bad_argument', 'passkey']);
    assert.equal((await signIn(authenticator)).status, 200);
  });

  it('adds up to ten passkeys to an account', async () => {
    const { account } = await withPasskey();
    for (let i = 0; i < 9; i++) assert.equal((await add(browser, new Authenticator())).status, 200);
    const full = await browser.ask('POST', 'passkeys/options', { current: passphrase });
    assert.deepEqual(failed(full), [409, 'conflict', null]);
    assert.match(full.body.error, /at most 10 passkeys/);
    assert.equal((await system.store.passkeys.list(account)).length, 10);
  });

  it('renames a passkey, and neither changes nor removes one of another account', async () => {
    const { id } = await withPasskey();
    const stranger = newBrowser();
    await stranger.signUp(email());
    for (const unknown of [id, 'p-0000000000', '__proto__', '%00', 'x'.repeat(2000)]) {
      assert.deepEqual(failed(await stranger.ask('PATCH', `passkeys/${unknown}`, { name: 'mine' })), [404, 'not_found', null], unknown);
      assert.deepEqual(failed(await remove(stranger, unknown)), [404, 'not_found', null], unknown);
    }
    assert.deepEqual((await stranger.ask('GET', 'passkeys')).body.passkeys, []);
    assert.equal((await browser.ask('PATCH', `passkeys/${id}`, { name: ' security key ' })).body.passkey.name, 'security key');
    assert.deepEqual(failed(await browser.ask('PATCH', `passkeys/${id}`, { name: ' ' })), [400, 'bad_argument', 'name']);
    assert.deepEqual(failed(await browser.ask('PATCH', `passkeys/${id}`, { name: 'x'.repeat(65) })), [400, 'bad_argument', 'name']);
  });

  it('removes a passkey after the password, ends all other sessions, and no longer signs in with it', async () => {
    const { id } = await withPasskey();
    const thief = newBrowser();
    await signIn(authenticator, {}, thief);
    assert.deepEqual(failed(await remove(browser, id, 'not the right one')), [401, 'wrong_credentials', 'current']);
    assert.equal(await thief.signedIn(), true);
    assert.equal((await remove(browser, id)).status, 200);
    assert.deepEqual([await browser.signedIn(), await thief.signedIn()], [true, false]);
    assert.deepEqual(failed(await signIn(authenticator)), [401, 'wrong_credentials', null]);
    assert.deepEqual(failed(await remove(browser, id)), [404, 'not_found', null]);
    assert.equal((await browser.ask('GET', 'session')).body.account.has_passkey, false);
    assert.equal((await add(browser, authenticator)).status, 200, 'it can be added again');
  });

  it('changes passkeys only with the CSRF token of the session', async () => {
    const { id } = await withPasskey();
    const without = { 'x-csrf-token': '' };
    for (const [method, path] of [
      ['POST', 'passkeys/options'],
      ['POST', 'passkeys'],
      ['PATCH', `passkeys/${id}`],
      ['POST', `passkeys/${id}/removal`],
    ] as const)
      assert.deepEqual(failed(await browser.ask(method, path, {}, without)), [403, 'forbidden', null], path);
  });

  it('offers none where browsers have none: at an IP address, and over http at a host name', async () => {
    const lan = await GatewayUnderTest.start({ publicUrl: 'http://perch.lan' });
    try {
      for (const [at, of] of [
        [system.base, system],
        ['http://[::1]:8080', system],
        ['http://perch.lan', lan],
      ] as const) {
        const one = newBrowser(at, of);
        assert.equal((await one.signUp(email())).body.passkey_host, null, at);
        for (const path of ['passkeys/options', 'session/options']) {
          const refused = await one.ask('POST', path, { current: passphrase });
          assert.deepEqual(failed(refused), [400, 'bad_argument', null], at);
          assert.match(refused.body.error, /^Host: passkeys need a page with a host name/);
        }
      }
    } finally {
      await lan.stop();
    }
  });

  it('works at the public URL behind a proxy that ends TLS, and at localhost of the same gateway, each with its own passkeys', async () => {
    const page = 'https://perch.example';
    const address = email();
    const one = newBrowser(page, behindTls);
    assert.equal((await one.signUp(address)).body.passkey_host, 'perch.example');
    assert.equal((await add(one, authenticator)).body.passkey.host, 'perch.example');
    assert.equal((await signIn(authenticator, {}, newBrowser(page, behindTls))).status, 200);
    const local = newBrowser(`http://localhost:${new URL(behindTls.base).port}`, behindTls);
    assert.equal((await local.ask('GET', 'session')).body.passkey_host, 'localhost');
    assert.equal((await signIn(authenticator, {}, local)).status, 401);
    assert.equal((await signIn(authenticator, { rpId: 'perch.example' }, local)).status, 401);
  });

  it('tells a page without Origin header, as with GET, for which host passkeys are', async () => {
    const hostOf = async (of: GatewayUnderTest, headers: Record<string, string>) =>
      (await hostClient(of).ask('GET', '/console/session', { headers: { 'sec-fetch-site': 'same-origin', ...headers } })).body.passkey_host;
    assert.equal(await hostOf(behindTls, { host: 'perch.example' }), 'perch.example');
    assert.equal(await hostOf(behindTls, { host: 'localhost:8080' }), 'localhost');
    assert.equal(await hostOf(system, { host: 'localhost:8080' }), 'localhost');
    assert.equal(await hostOf(system, {}), null);
  });

  it('audits what is done with passkeys, without names, credentials and challenges', async () => {
    const seen = lines.length;
    const { account, id } = await withPasskey('secret name');
    await signIn(authenticator);
    await signIn(authenticator, { origin: 'https://evil.example' });
    await browser.ask('PATCH', `passkeys/${id}`, { name: 'another secret name' });
    await remove(browser, id);
    const own = lines.slice(seen);
    const audits = own.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ audit }) => audit !== undefined);
    assert.deepEqual(
      audits.map(({ audit, outcome, account: of, passkey }) => [audit, outcome, of, passkey ?? null]),
      [
        ['sign_up', 'ok', account, null],
        ['passkey_add', 'ok', account, id],
        ['passkey_sign_in', 'ok', account, null],
        ['passkey_sign_in', 'wrong_credentials', null, null],
        ['passkey_change', 'ok', account, id],
        ['passkey_remove', 'ok', account, id],
      ],
    );
    for (const secret of ['secret name', authenticator.id, 'pc_', passphrase]) assert.equal(own.join('').includes(secret), false, secret);
  });
});

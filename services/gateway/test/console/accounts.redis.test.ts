import assert from 'node:assert/strict';
import { StoreError, UncertainWrite } from '@perch/store';
import { GatewayUnderTest, useGateway } from '../gateway-under-test.js';
import { Browser, email, failed, passphrase, somewhere } from './browser.js';

describe('accounts and sessions of the console', () => {
  const passwordOnly = { oidc: null } as const;
  const behindProxy = { trustedProxies: 1 };
  const system = useGateway({ ...behindProxy, accountSettings: { ...passwordOnly, signUp: 'open' } });
  const invitational = useGateway({ ...behindProxy, accountSettings: { ...passwordOnly, signUp: 'invitation' } });
  const closed = useGateway({ ...behindProxy, accountSettings: { ...passwordOnly, signUp: 'closed' }, publicUrl: 'https://perch.example' });
  let browser: Browser;
  beforeEach(() => {
    browser = newBrowser();
  });

  const newBrowser = (of = system): Browser => new Browser(of);

  it('returns only the ways to sign in to a client without session', async () => {
    const { status, body } = await browser.ask('GET', 'session');
    assert.equal(status, 200);
    assert.deepEqual(body, { ok: true, signed_in: false, sign_up: 'open', oidc: null, mail: false, passkey_host: null });
    for (const path of ['robots', 'keys', 'live', 'v1/robots', 'v1/actions'])
      assert.deepEqual(failed(await browser.ask('GET', path)), [401, 'signed_out', null], path);
  });

  it('signs in on sign-up: sets an HttpOnly cookie and returns the account and CSRF token', async () => {
    const address = email();
    const { body, headers } = await browser.signUp(` ${address} `);
    assert.deepEqual([body.signed_in, body.account.email, body.account.has_password, body.base_url], [true, address, true, system.base]);
    const [cookie] = headers.getSetCookie();
    assert.match(cookie!, /^perch_session=ps_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    assert.equal(headers.get('cache-control'), 'no-store');
    const current = await browser.ask('GET', 'session');
    assert.deepEqual(current.body, body);
    assert.equal(JSON.stringify(current.body).includes(browser.cookies.get('perch_session')!), false);
  });

  it('names the field of each invalid or conflicting value on sign-up', async () => {
    const taken = email();
    await newBrowser().signUp(taken);
    const bad: [object, number, string, string | null][] = [
      [{ email: 'ann', password: passphrase }, 400, 'bad_argument', 'email'],
      [{ password: passphrase }, 400, 'bad_argument', 'email'],
      [{ email: email(), password: 'too short' }, 400, 'bad_argument', 'password'],
      [{ email: email(), password: 'eleven char' }, 400, 'bad_argument', 'password'],
      [{ email: email(), password: 'password1234' }, 400, 'bad_argument', 'password'],
      [{ email: email(), password: 'x'.repeat(201) }, 400, 'bad_argument', 'password'],
      [{ email: email(), password: 12 }, 400, 'bad_argument', 'password'],
      [{ email: email(), password: passphrase, admin: true }, 400, 'bad_argument', 'admin'],
      [{ email: taken.toUpperCase(), password: passphrase }, 409, 'conflict', 'email'],
    ];
    for (const [body, ...expected] of bad) assert.deepEqual(failed(await browser.ask('POST', 'accounts', body)), expected, JSON.stringify(body));
    assert.deepEqual(failed(await browser.ask('POST', 'accounts', [])), [400, 'bad_argument', null]);
    assert.deepEqual(failed(await browser.ask('POST', 'accounts', `email=a@b.c`, { 'content-type': 'application/x-www-form-urlencoded' })), [
      415,
      'not_json',
      null,
    ]);
    assert.deepEqual(failed(await browser.ask('POST', 'accounts', { email: 'x'.repeat(20_000) })), [413, 'body_too_large', null]);
    assert.equal(await browser.signedIn(), false);
  });

  it('signs in with the address in any case and the exact password, with equal responses for an unknown address and a wrong password', async () => {
    const address = email();
    await newBrowser().signUp(address);
    const wrong = await browser.signIn(address, `${passphrase} `);
    const unknown = await browser.signIn(email());
    assert.deepEqual(failed(wrong), [401, 'wrong_credentials', 'password']);
    assert.deepEqual({ ...wrong.body, request_id: '' }, { ...unknown.body, request_id: '' });
    assert.equal((await browser.signIn(address.toUpperCase())).body.signed_in, true);
  });

  it('ends the previous session of the browser on a new sign-in', async () => {
    await browser.signUp(email());
    const before = browser.cookies.get('perch_session')!;
    await browser.signUp(email());
    const old = newBrowser();
    old.cookies.set('perch_session', before);
    assert.deepEqual([await old.signedIn(), await browser.signedIn()], [false, true]);
  });

  it('ends the session and removes the cookie on sign-out', async () => {
    await browser.signUp(email());
    const secret = browser.cookies.get('perch_session')!;
    const { body } = await browser.ask('DELETE', 'session');
    assert.deepEqual([body.signed_in, browser.cookies.has('perch_session')], [false, false]);
    browser.cookies.set('perch_session', secret);
    assert.deepEqual(failed(await browser.ask('GET', 'v1/robots')), [401, 'signed_out', null]);
  });

  it('lists the sessions of the account only, and ends one of another browser, but neither its own nor one of another account', async () => {
    const address = email();
    const linux = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };
    await browser.signUp(address);
    const [other, stranger] = [newBrowser(), newBrowser()];
    await other.signIn(address, passphrase, linux);
    await stranger.signUp(email());
    const { body } = await browser.ask('GET', 'sessions');
    assert.deepEqual(
      body.sessions.map(({ device, current }: { device: string; current: boolean }) => [device, current]).toSorted(),
      [
        ['Firefox on Linux', false],
        [body.sessions.find(({ current }: { current: boolean }) => current).device, true],
      ].toSorted(),
    );
    const idOf = (current: boolean): string => body.sessions.find((each: { current: boolean }) => each.current === current).id;
    assert.equal(JSON.stringify(body).includes(browser.cookies.get('perch_session')!), false);
    assert.deepEqual(failed(await stranger.ask('DELETE', `sessions/${idOf(false)}`)), [404, 'not_found', null]);
    assert.deepEqual(failed(await browser.ask('DELETE', `sessions/${idOf(true)}`)), [409, 'conflict', null]);
    assert.deepEqual([await browser.signedIn(), await other.signedIn()], [true, true]);
    assert.deepEqual((await browser.ask('DELETE', `sessions/${idOf(false)}`)).body, { ok: true, ended: 1 });
    assert.deepEqual([await browser.signedIn(), await other.signedIn(), await stranger.signedIn()], [true, false, true]);
    assert.deepEqual(failed(await browser.ask('DELETE', `sessions/${idOf(false)}`)), [404, 'not_found', null]);
  });

  it('ends all other sessions of the account at once, and none of other accounts', async () => {
    const address = email();
    await browser.signUp(address);
    const [first, second, stranger] = [newBrowser(), newBrowser(), newBrowser()];
    await first.signIn(address);
    await second.signIn(address);
    await stranger.signUp(email());
    assert.deepEqual((await browser.ask('DELETE', 'sessions')).body, { ok: true, ended: 2 });
    const signedIn = await Promise.all([browser, first, second, stranger].map((each) => each.signedIn()));
    assert.deepEqual(signedIn, [true, false, false, true]);
    assert.equal((await browser.ask('GET', 'sessions')).body.sessions.length, 1);
  });

  it('changes the password only with the current one, and revokes all other sessions', async () => {
    const address = email();
    await browser.signUp(address);
    const other = newBrowser();
    await other.signIn(address);
    const change = (body: object) => browser.ask('PUT', 'password', body);
    assert.deepEqual(failed(await change({ password: 'another good one' })), [400, 'bad_argument', 'current']);
    assert.deepEqual(failed(await change({ current: 'wrong one', password: 'another good one' })), [401, 'wrong_credentials', 'current']);
    assert.deepEqual(failed(await change({ current: passphrase, password: 'short' })), [400, 'bad_argument', 'password']);
    assert.equal(await other.signedIn(), true);
    assert.equal((await change({ current: passphrase, password: 'another good one' })).body.signed_in, true);
    assert.deepEqual([await browser.signedIn(), await other.signedIn()], [true, false]);
    assert.equal((await other.signIn(address)).status, 401);
    assert.equal((await other.signIn(address, 'another good one')).status, 200);
  });

  it('signs in once with a sign-in URL, and sets the first password of an account without the current one', async () => {
    const address = email();
    const { account } = await system.store.accounts.create({ email: address });
    const link = await system.store.signInTokens.make(account, 60_000);
    const { body } = await browser.ask('POST', 'session', { link });
    assert.deepEqual(
      [body.signed_in, body.account],
      [true, { id: account, email: address, email_verified: false, has_password: false, has_passkey: false }],
    );
    assert.deepEqual(failed(await newBrowser().ask('POST', 'session', { link })), [401, 'wrong_credentials', null]);
    assert.equal((await browser.ask('PUT', 'password', { password: passphrase })).body.account.has_password, true);
    assert.equal((await newBrowser().signIn(address)).status, 200);
  });

  it('refuses the sign-in URL of an account whose removal has begun as one that was used', async () => {
    const { account } = await system.store.accounts.create({ email: email() });
    const link = await system.store.signInTokens.make(account, 60_000);
    assert.equal(await system.store.connections.script('accountRemove', [`perch:{${account}}`], []), 1);
    assert.deepEqual(failed(await newBrowser().ask('POST', 'session', { link })), [401, 'wrong_credentials', null]);
  });

  it('creates one account per invitation, which stays valid after a refused sign-up', async () => {
    const one = newBrowser(invitational);
    const invitation = await system.store.invitations.make('', 60_000);
    const signUp = (body: object) => one.ask('POST', 'accounts', { email: email(), password: passphrase, ...body });
    assert.equal((await one.ask('GET', 'session')).body.sign_up, 'invitation');
    assert.deepEqual(failed(await signUp({})), [403, 'sign_up_closed', 'invitation']);
    assert.deepEqual(failed(await signUp({ invitation: 'pi_wrong' })), [403, 'sign_up_closed', 'invitation']);
    const taken = email();
    await system.store.accounts.create({ email: taken });
    assert.deepEqual(failed(await signUp({ invitation, email: taken })), [409, 'conflict', 'email']);
    assert.equal((await signUp({ invitation })).body.signed_in, true);
    assert.deepEqual(failed(await signUp({ invitation })), [403, 'sign_up_closed', 'invitation']);
  });

  it('refuses sign-up when it is closed, and still lets existing accounts sign in', async () => {
    const one = newBrowser(closed);
    one.headers = { ...one.headers, host: 'perch.example' };
    const invitation = await system.store.invitations.make('', 60_000);
    assert.deepEqual(failed(await one.ask('POST', 'accounts', { email: email(), password: passphrase, invitation })), [403, 'sign_up_closed', null]);
    const address = email();
    await system.store.accounts.create({ email: address, password: await system.store.passwords.hash(passphrase) });
    const { body, headers } = await one.signIn(address);
    assert.deepEqual([body.signed_in, body.sign_up, body.base_url], [true, 'closed', 'https://perch.example']);
    assert.match(headers.getSetCookie()[0]!, /^__Host-perch=ps_[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
  });

  it('answers 503 with different advice for a write with unknown outcome and for a write that was not started', async () => {
    const own = await GatewayUnderTest.start({ ...behindProxy, accountSettings: { ...passwordOnly, signUp: 'open' } });
    try {
      const one = newBrowser(own);
      await one.signUp(email());
      const { connections } = own.store;
      const { durably } = connections;
      const lost = { cause: new Error('Connection is closed.') };
      connections.durably = async (_keys, work) => {
        await work();
        throw new UncertainWrite('Redis: Connection is closed.', lost);
      };
      const made = await one.ask('POST', 'keys', { name: 'laptop', robots: '*' });
      connections.durably = () => Promise.reject(new StoreError('unavailable', 'Redis: Connection is closed.', lost));
      const notMade = await one.ask('POST', 'keys', { name: 'phone', robots: '*' });
      connections.durably = durably;
      for (const answer of [made, notMade]) {
        assert.deepEqual(failed(answer), [503, 'service_unavailable', null]);
        assert.equal(answer.headers.get('retry-after'), '1');
      }
      assert.equal(made.body.error, 'The service cannot reach its storage. It may have been executed: check before you try again.');
      assert.equal(notMade.body.error, 'The service cannot reach its storage. Try again shortly.');
      const { keys } = (await one.ask('GET', 'keys')).body as { keys: { name: string }[] };
      assert.deepEqual(
        keys.map(({ name }) => name),
        ['laptop'],
      );
    } finally {
      await own.stop();
    }
  });

  it('warns that the change may have been done when storage is lost after a sign-in URL, sign-up or password took effect', async () => {
    const own = await GatewayUnderTest.start({ ...behindProxy, accountSettings: { ...passwordOnly, signUp: 'open' } });
    try {
      const address = email();
      const one = newBrowser(own);
      const { account } = (await one.signUp(address)).body;
      const link = await own.store.signInTokens.make(account.id, 60_000);
      const { sessions } = own.store;
      const away = () => Promise.reject(new StoreError('unavailable', 'Redis: Connection is closed.'));
      sessions.begin = away;
      sessions.endAll = away;
      const answers = [
        await newBrowser(own).ask('POST', 'session', { link }),
        await newBrowser(own).ask('POST', 'accounts', { email: email(), password: passphrase }),
        await one.ask('PUT', 'password', { current: passphrase, password: 'another good one' }),
      ];
      for (const { status, body } of answers) assert.deepEqual([status, /It may have been executed/.test(body.error)], [503, true], body.error);
      assert.notEqual(await own.store.passwords.check(address, 'another good one'), null);
      assert.match((await newBrowser(own).signIn(address, 'another good one')).body.error, /Try again shortly/);
    } finally {
      await own.stop();
    }
  });

  it('refuses a common password for a new account and for a change, and lets an account that has one sign in', async () => {
    const address = email();
    await system.store.accounts.create({ email: address, password: await system.store.passwords.hash('qwerty') });
    assert.equal((await browser.signIn(address, 'qwerty')).status, 200);
    for (const common of ['qwertyuiop12', '123456789012', 'P@ssw0rd1234', address]) {
      const refused = await browser.ask('PUT', 'password', { current: 'qwerty', password: common });
      assert.deepEqual(failed(refused), [400, 'bad_argument', 'password'], common);
    }
    assert.equal((await browser.ask('PUT', 'password', { current: 'qwerty', password: passphrase })).status, 200);
  });

  it('limits sign-ups to 30 per hour and address', async () => {
    const from = somewhere();
    for (let i = 0; i < 30; i++) await system.store.attempts.count('signUp', from['x-forwarded-for']);
    assert.deepEqual(failed(await browser.ask('POST', 'accounts', { email: email(), password: passphrase }, from)), [429, 'too_many_attempts', null]);
  });
});

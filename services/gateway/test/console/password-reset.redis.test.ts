/** A forgotten password, with an SMTP server that is a process of its own. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { sha256Short } from '@perch/runtime';
import { MailServer, tokenIn, until } from '@perch/testkit';
import { StoreError } from '@perch/store';
import { mailAddressOf } from '../../src/mail/mail-delivery.js';
import { useGateway, type Answer } from '../gateway-under-test.js';
import { Browser, email, failed, passphrase, somewhere } from './browser.js';

const another = 'another good one';

describe('password resets by e-mail', () => {
  const lines: string[] = [];
  let mails: MailServer;
  let browser: Browser;

  before(async () => {
    mails = await MailServer.start({ user: 'perch', password: 'smtp password' });
  });
  const system = useGateway(() => ({
    trustedProxies: 1,
    logTo: lines,
    mail: { smtpUrl: mails.url.replace('//', '//perch:smtp%20password@'), from: mailAddressOf('Perch <perch@example.org>')! },
    publicUrl: 'http://perch.example',
  }));
  after(() => mails.stop());
  const newBrowser = (): Browser => new Browser(system, { host: 'perch.example' });

  beforeEach(() => {
    browser = newBrowser();
  });

  async function newAccount(): Promise<{ address: string; account: string; owner: Browser }> {
    const [address, owner] = [email(), newBrowser()];
    const { body } = await owner.signUp(address);
    return { address, account: body.account.id, owner };
  }

  const request = (by: Browser, address: string) => by.ask('POST', 'password-resets', { email: address });
  const reset = (by: Browser, token: string, password = another) => by.ask('PUT', 'password-resets', { token, password });
  const resetsTo = (address: string) => mails.to(address).filter(({ subject }) => subject === 'Set a new password for Perch');

  /** fetch would send its own Host. */
  async function statusWithHost(host: string, address: string, more: Record<string, string>): Promise<number> {
    const headers = { host, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', ...somewhere(), ...more };
    const sent = httpRequest(`${system.base}/console/password-resets`, { method: 'POST', headers }).end(JSON.stringify({ email: address }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  }

  async function tokenFor(address: string): Promise<string> {
    const before = resetsTo(address).length;
    assert.deepEqual((await request(newBrowser(), address)).body, { ok: true });
    await until(() => resetsTo(address).length > before);
    return tokenIn(resetsTo(address).at(-1)!, 'reset');
  }

  it('sends a link that sets a new password once, signs in and ends all other sessions', async () => {
    const { address, account, owner } = await newAccount();
    const token = await tokenFor(address);
    assert.match(token, /^pr_[\w-]{43}$/);
    const [mail] = resetsTo(address);
    assert.match(mail!.text, new RegExp(`^http://perch\\.example/reset-password#reset=${token}$`, 'm'));
    assert.ok(mail!.text.includes(address), mail!.text);

    const { status, body } = await reset(browser, token);
    assert.deepEqual([status, body.signed_in, body.account.id, body.account.email_verified], [200, true, account, true]);
    assert.deepEqual([await browser.signedIn(), await owner.signedIn()], [true, false]);
    assert.equal((await newBrowser().signIn(address)).status, 401);
    assert.equal((await newBrowser().signIn(address, another)).status, 200);
    assert.deepEqual(failed(await reset(newBrowser(), token, 'a third good one')), [401, 'wrong_credentials', null]);
    assert.equal((await newBrowser().signIn(address, another)).status, 200);
  });

  it('finds the account by its address in any case, and writes to the address of the account', async () => {
    const { address } = await newAccount();
    assert.equal((await request(browser, ` ${address.toUpperCase()} `)).status, 200);
    await until(() => resetsTo(address).length === 1);
    assert.deepEqual(mails.to(address.toUpperCase()), []);
  });

  it('answers for an unknown address as for a known one, and sends it nothing', async () => {
    const { address } = await newAccount();
    const unknown = email();
    const [known, none] = [await request(browser, address), await request(browser, unknown)];
    const headersOf = ({ headers }: Answer) => [...headers].filter(([name]) => !['date', 'x-request-id', 'request-id'].includes(name));
    assert.deepEqual([none.status, none.body], [known.status, known.body]);
    assert.deepEqual(headersOf(none), headersOf(known));
    await until(() => resetsTo(address).length === 1);
    // Later e-mails are sent after it.
    await tokenFor(address);
    assert.deepEqual(mails.to(unknown), []);
  });

  it('answers before the account is looked up, so that the time does not depend on it', async () => {
    const { address } = await newAccount();
    const { accounts } = system.store;
    const { findByEmail } = accounts;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    accounts.findByEmail = async (wanted) => {
      await released;
      return findByEmail.call(accounts, wanted);
    };
    try {
      for (const asked of [address, email()]) assert.equal((await request(browser, asked)).status, 200);
      assert.deepEqual(resetsTo(address), []);
    } finally {
      accounts.findByEmail = findByEmail;
      release();
    }
    await until(() => resetsTo(address).length === 1);
  });

  it('refuses tokens that are unknown, expired or of another purpose, and accepts a reset token nowhere else', async () => {
    const { address, account } = await newAccount();
    const verification = tokenIn(await mails.mailTo(address), 'verify');
    const link = await system.store.signInTokens.make(account, 60_000);
    const invitation = await system.store.invitations.make('', 60_000);
    const expired = await tokenFor(address);
    await system.store.connections.commands.pexpire(`perch:{reset:${sha256Short(expired)}}`, 1);
    await until(async () => (await system.store.passwordResets.find(expired)) === null);
    for (const token of [expired, verification, link, invitation, `pr_${'x'.repeat(43)}`, 'x'])
      assert.deepEqual(failed(await reset(browser, token)), [401, 'wrong_credentials', null], token);
    assert.equal((await newBrowser().signIn(address)).status, 200);

    const token = await tokenFor(address);
    assert.deepEqual(failed(await browser.ask('POST', 'session', { link: token })), [401, 'wrong_credentials', null]);
    assert.deepEqual(failed(await browser.ask('PUT', 'verifications', { token })), [401, 'wrong_credentials', null]);
    assert.equal((await reset(browser, token)).status, 200);
  });

  it('ends all links of an account with a change of the password', async () => {
    const { address, owner } = await newAccount();
    const tokens = [await tokenFor(address), await tokenFor(address), await tokenFor(address)];
    assert.equal((await reset(browser, tokens[1]!)).status, 200);
    assert.deepEqual(failed(await reset(newBrowser(), tokens[0]!)), [401, 'wrong_credentials', null]);
    await owner.signIn(address, another);
    const last = await tokenFor(address);
    assert.equal((await owner.ask('PUT', 'password', { current: another, password: passphrase })).status, 200);
    for (const token of [last, tokens[2]!]) assert.deepEqual(failed(await reset(newBrowser(), token)), [401, 'wrong_credentials', null]);
    assert.equal((await newBrowser().signIn(address)).status, 200);
  });

  it('keeps the link when the new password is refused, and names the field', async () => {
    const { address } = await newAccount();
    const token = await tokenFor(address);
    for (const password of ['short', 'qwertyuiop12', address, 'x'.repeat(201)])
      assert.deepEqual(failed(await reset(browser, token, password)), [400, 'bad_argument', 'password'], password);
    assert.deepEqual(failed(await browser.ask('PUT', 'password-resets', { password: another })), [400, 'bad_argument', 'token']);
    assert.deepEqual(failed(await browser.ask('PUT', 'password-resets', { token, password: another, admin: 1 })), [400, 'bad_argument', 'admin']);
    assert.deepEqual(failed(await request(browser, 'ann')), [400, 'bad_argument', 'email']);
    assert.equal((await reset(browser, token)).status, 200);
  });

  it('gives one of ten concurrent requests with a link the new password', async () => {
    const { address } = await newAccount();
    const token = await tokenFor(address);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => reset(newBrowser(), token, `${passphrase} ${i}`)));
    const [done, ...others] = answers.filter(({ status }) => status === 200);
    assert.ok(done);
    assert.deepEqual(others, []);
    assert.equal((await newBrowser().signIn(address, `${passphrase} ${answers.indexOf(done)}`)).status, 200);
  });

  it('sets the first password of an account that has none', async () => {
    const address = email();
    const { account } = await system.store.accounts.create({ email: address });
    const { body } = await reset(browser, await tokenFor(address));
    assert.deepEqual([body.account.id, body.account.has_password], [account, true]);
  });

  it('replaces the session of a browser that is signed in to another account', async () => {
    const [ann, bob] = [await newAccount(), await newAccount()];
    const token = await tokenFor(ann.address);
    const secret = bob.owner.cookies.get('perch_session')!;
    assert.equal((await reset(bob.owner, token)).body.account.id, ann.account);
    const old = newBrowser();
    old.cookies.set('perch_session', secret);
    assert.equal(await old.signedIn(), false);
  });

  it('leads to the configured URL, whatever host and scheme the request names', async () => {
    const { address } = await newAccount();
    const forged = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example', 'x-forwarded-proto': 'https' };
    // A name that the service accepts as its own, and one that it does not.
    assert.equal(await statusWithHost('evil.localhost', address, forged), 200);
    assert.equal(await statusWithHost('evil.example', address, forged), 403);
    await until(() => resetsTo(address).length === 1);
    const [mail] = resetsTo(address);
    for (const part of [mail!.text, mail!.html])
      assert.deepEqual(new Set(part.match(/https?:\/\/[^/\s"<#]+/g)), new Set(['http://perch.example']), part);
  });

  it('limits requests by address, equally for addresses without an account, and by network', async () => {
    const { address } = await newAccount();
    for (const asked of [address, email()]) {
      for (let i = 0; i < 5; i++) assert.equal((await request(newBrowser(), asked)).status, 200);
      const refused = await request(newBrowser(), asked.toUpperCase());
      assert.deepEqual(failed(refused), [429, 'too_many_attempts', null]);
      assert.ok(Number(refused.headers.get('retry-after')) > 3000);
      assert.match(refused.body.error, /^Too many e-mails were requested for this address\. Try again in \d+ minutes\.$/);
    }
    await until(() => resetsTo(address).length === 5);
    for (let i = 0; i < 30; i++) assert.equal((await request(browser, email())).status, 200);
    assert.deepEqual(failed(await request(browser, email())), [429, 'too_many_attempts', null]);
    assert.equal((await request(newBrowser(), email())).status, 200);
    assert.equal(resetsTo(address).length, 5);
  });

  it('records the request and the reset in the activity of the account, and neither address nor token in the log', async () => {
    const { address, account } = await newAccount();
    const unknown = email();
    await request(browser, unknown);
    const token = await tokenFor(address);
    await reset(browser, token);
    await until(async () => {
      const { entries } = await system.store.activity.read(account, { after: 0, before: null, limit: 50, kind: null, accept: () => true });
      const kinds = entries.map(({ action, outcome }) => `${action} ${outcome}`);
      return kinds.includes('password_reset_request ok') && kinds.includes('password_reset ok');
    });
    const logged = lines.join('');
    for (const secret of [address, unknown, token, another, 'smtp password']) assert.ok(!logged.includes(secret), secret);
    const audits = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ audit }) => audit === 'password_reset_request');
    assert.ok(audits.length > 0);
    assert.deepEqual(new Set(audits.map(({ account: named }) => named)), new Set([null]));
  });

  it('revokes sessions of before when Redis is lost right after the change', async () => {
    const { address, owner } = await newAccount();
    const token = await tokenFor(address);
    const { sessions } = system.store;
    const { begin } = sessions;
    sessions.begin = () => Promise.reject(new StoreError('unavailable', 'Redis: Connection is closed.'));
    try {
      const { status, body } = await reset(browser, token);
      assert.deepEqual([status, /It may have been executed/.test(body.error)], [503, true], body.error);
    } finally {
      sessions.begin = begin;
    }
    assert.equal(await owner.signedIn(), false);
    assert.equal((await newBrowser().signIn(address, another)).status, 200);
  });
});

/** Verified e-mail addresses, with an SMTP server that is a process of its own. */
import assert from 'node:assert/strict';
import { sha256Short } from '@perch/runtime';
import { MailServer, tokenIn, until } from '@perch/testkit';
import { mailAddressOf } from '../../src/mail/mail-delivery.js';
import { GatewayUnderTest, useGateway, type GatewaySettings } from '../gateway-under-test.js';
import { Browser, email, failed, passphrase } from './browser.js';

describe('verification of e-mail addresses', () => {
  let mails: MailServer;
  let browser: Browser;

  const settings = (smtpUrl: string | null): GatewaySettings => {
    const mail = smtpUrl === null ? null : { smtpUrl, from: mailAddressOf('perch@example.org')! };
    return { trustedProxies: 1, mail, publicUrl: 'http://perch.example/' };
  };
  before(async () => {
    mails = await MailServer.start();
  });
  const system = useGateway(() => settings(mails.url));
  after(() => mails.stop());
  const newBrowser = (of = system): Browser => new Browser(of, { host: 'perch.example' });

  beforeEach(() => {
    browser = newBrowser();
  });

  const verify = (by: Browser, token: string) => by.ask('PUT', 'verifications', { token });
  const isVerified = async (by: Browser): Promise<boolean> => (await by.ask('GET', 'session')).body.account.email_verified;

  it('sends a link after sign-up that verifies the address once, in a browser that is signed in to the account', async () => {
    const address = email();
    const { body } = await browser.signUp(address);
    assert.deepEqual([body.mail, body.account.email_verified], [true, false]);
    const mail = await mails.mailTo(address);
    const token = tokenIn(mail, 'verify');
    assert.match(mail.text, new RegExp(`^http://perch\\.example/verify-email#verify=${token}$`, 'm'));
    const second = newBrowser();
    await second.signIn(address);
    assert.deepEqual((await verify(second, token)).body, { ok: true });
    assert.equal(await isVerified(browser), true);
    assert.deepEqual(failed(await verify(browser, token)), [401, 'wrong_credentials', null]);
    assert.equal(await isVerified(browser), true);
  });

  it('a link verifies nothing in a browser that is signed out or in to another account, and works afterwards', async () => {
    const [address, other] = [email(), newBrowser()];
    await browser.signUp(address);
    await other.signUp(email());
    const token = tokenIn(await mails.mailTo(address), 'verify');
    for (const elsewhere of [other, newBrowser()]) {
      const refused = await verify(elsewhere, token);
      assert.deepEqual(failed(refused), [409, 'conflict', 'password']);
      assert.match(refused.body.error, /^This browser is not signed in to the account\./);
    }
    assert.deepEqual([await isVerified(browser), await isVerified(other)], [false, false]);
    assert.equal((await verify(browser, token)).status, 200);
    assert.deepEqual([await isVerified(browser), await isVerified(other)], [true, false]);
  });

  it('a link in another browser sets a password, which proves the address and ends all that was made before', async () => {
    const address = email();
    await browser.signUp(address);
    const { api_key: apiKey } = (await browser.ask('POST', 'keys', { name: 'laptop', robots: '*' })).body;
    const token = tokenIn(await mails.mailTo(address), 'verify');
    const own = newBrowser();
    const set = (password: string) => own.ask('PUT', 'verifications', { token, password });
    assert.deepEqual(failed(await set('qwertyuiop12')), [400, 'bad_argument', 'password']);
    const { body } = await set('another good one');
    assert.deepEqual([body.signed_in, body.account.email_verified, body.recovered.first, body.recovered.ended.keys], [true, true, true, 1]);
    assert.deepEqual([await browser.signedIn(), await own.signedIn()], [false, true]);
    assert.equal((await system.ask('GET', '/v1/robots', { apiKey })).status, 401);
    assert.equal((await newBrowser().signIn(address)).status, 401);
    assert.deepEqual(failed(await set('a third good one')), [401, 'wrong_credentials', null]);
    assert.match((await mails.mailTo(address, 2)).text, /These ended, too: 1 API key\. Robots stay/);
  });

  it('a link sets no password once the address is verified', async () => {
    const address = email();
    await browser.signUp(address);
    const token = tokenIn(await mails.mailTo(address), 'verify');
    await browser.ask('POST', 'verifications', {});
    await verify(browser, tokenIn(await mails.mailTo(address, 2), 'verify'));
    assert.deepEqual(failed(await newBrowser().ask('PUT', 'verifications', { token, password: 'another good one' })), [
      401,
      'wrong_credentials',
      null,
    ]);
    assert.equal(await browser.signedIn(), true);
    assert.deepEqual((await verify(newBrowser(), token)).body, { ok: true });
  });

  it('an account works without a verified address', async () => {
    const address = email();
    await browser.signUp(address);
    assert.equal((await browser.ask('POST', 'keys', { name: 'laptop', robots: '*' })).status, 200);
    assert.equal((await newBrowser().signIn(address)).body.account.email_verified, false);
  });

  it('sends another link to the signed-in account, up to five an hour, and none once the address is verified', async () => {
    const address = email();
    await browser.signUp(address);
    await mails.mailTo(address);
    for (let i = 0; i < 5; i++) assert.deepEqual((await browser.ask('POST', 'verifications', {})).body, { ok: true });
    assert.deepEqual(failed(await browser.ask('POST', 'verifications', {})), [429, 'too_many_attempts', null]);
    const mail = await mails.mailTo(address, 6);
    assert.equal((await verify(browser, tokenIn(mail, 'verify'))).status, 200);
    assert.deepEqual(failed(await browser.ask('POST', 'verifications', {})), [409, 'conflict', null]);
    assert.match((await mails.mailTo(address, 7)).text, /Everything that was made in the account before stays/);
  });

  it('refuses unknown, expired and foreign tokens, and requests without session or CSRF token', async () => {
    const address = email();
    const { account } = (await browser.signUp(address)).body;
    const token = tokenIn(await mails.mailTo(address), 'verify');
    const { commands } = system.store.connections;
    const link = await system.store.signInTokens.make(account.id, 60_000);
    const reset = await system.store.passwordResets.make(account.id);
    for (const other of [link, reset, `pv_${'x'.repeat(43)}`, 'x'])
      assert.deepEqual(failed(await verify(browser, other)), [401, 'wrong_credentials', null]);
    assert.deepEqual(failed(await browser.ask('PUT', 'verifications', {})), [400, 'bad_argument', 'token']);
    await commands.pexpire(`perch:{verification:${sha256Short(token)}}`, 1);
    await until(async () => (await system.store.emailVerifications.lifeMs(token)) === null);
    assert.deepEqual(failed(await verify(browser, token)), [401, 'wrong_credentials', null]);
    assert.equal(await isVerified(browser), false);
    assert.deepEqual(failed(await newBrowser().ask('POST', 'verifications', {})), [401, 'signed_out', null]);
    assert.deepEqual(failed(await browser.ask('POST', 'verifications', {}, { 'x-csrf-token': 'x' })), [403, 'forbidden', null]);
  });

  it('marks no account whose removal has begun', async () => {
    const address = email();
    const { account } = (await browser.signUp(address)).body;
    const token = tokenIn(await mails.mailTo(address), 'verify');
    await system.store.connections.commands.hset(`perch:{${account.id}}`, 'removing', 1);
    assert.deepEqual(failed(await verify(newBrowser(), token)), [401, 'wrong_credentials', null]);
    assert.equal(await system.store.accounts.verifiedAt(account.id), null);
  });

  it('records what was sent and verified in the activity of the account', async () => {
    const address = email();
    const { account } = (await browser.signUp(address)).body;
    await browser.ask('POST', 'verifications', {});
    await verify(browser, tokenIn(await mails.mailTo(address, 2), 'verify'));
    await until(async () => {
      const { entries } = await system.store.activity.read(account.id, { after: 0, before: null, limit: 50, kind: null, accept: () => true });
      const kinds = entries.map(({ action, outcome }) => `${action} ${outcome}`);
      return ['sign_up ok', 'verification_send ok', 'email_verify ok'].every((kind) => kinds.includes(kind));
    });
  });

  it('tells the signed-in account that the e-mail could not be sent while the SMTP server refuses it, and sign-up succeeds', async () => {
    const refusing = await MailServer.start({ refuses: true });
    const own = await GatewayUnderTest.start(settings(refusing.url));
    try {
      const one = newBrowser(own);
      await one.signUp(email());
      const refused = await one.ask('POST', 'verifications', {});
      assert.deepEqual([...failed(refused), refused.body.error], [503, 'mail_failed', null, 'The e-mail could not be sent; try again later.']);
      await one.ask('DELETE', 'session');
      assert.equal(await one.signedIn(), false);
    } finally {
      await own.stop();
      await refusing.stop();
    }
  });

  it('without SMTP the page is told so, and the routes do not exist', async () => {
    const own = await GatewayUnderTest.start(settings(null));
    try {
      const one = newBrowser(own);
      assert.equal((await one.ask('GET', 'session')).body.mail, false);
      await one.signUp(email());
      for (const [method, path, body] of [
        ['POST', 'password-resets', { email: email() }],
        ['POST', 'password-resets/find', { token: 'pr_x' }],
        ['PUT', 'password-resets', { token: 'pr_x', password: passphrase }],
        ['POST', 'verifications', {}],
        ['PUT', 'verifications', { token: 'pv_x' }],
      ] as const)
        assert.deepEqual(failed(await one.ask(method, path, body)), [404, 'not_found', null], path);
    } finally {
      await own.stop();
    }
  });
});

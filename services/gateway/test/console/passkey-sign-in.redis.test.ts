import assert from 'node:assert/strict';
import { useGateway, type Answer } from '../gateway-under-test.js';
import { Authenticator, type Deviation } from './authenticator.js';
import { failed, passphrase, type Browser } from './browser.js';
import { accountWithPasskey, browserAt, optionsOf, signInBy } from './passkey-ceremonies.js';

describe('a sign-in with a passkey', () => {
  const lines: string[] = [];
  const system = useGateway({ trustedProxies: 1, logTo: lines });
  let browser: Browser;
  let authenticator: Authenticator;
  /** Of the page. */
  let origin: string;

  before(async () => {
    origin = `http://localhost:${new URL(system.base).port}`;
  });
  beforeEach(() => {
    browser = newBrowser();
    authenticator = new Authenticator();
  });

  const newBrowser = (at = origin, of = system): Browser => browserAt(at, of);
  const signIn = (using: Authenticator, change: Deviation = {}, by = newBrowser()): Promise<Answer> => signInBy(by, using, change);
  const withPasskey = (name = 'phone') => accountWithPasskey(browser, authenticator, name);

  const refusals: readonly [what: string, attempt: () => Promise<Answer>][] = [
    ['a challenge that was not issued', () => signIn(authenticator, { challenge: Buffer.from(`pc_${'A'.repeat(43)}`).toString('base64url') })],
    ['an empty challenge', () => signIn(authenticator, { challenge: '' })],
    ['the origin of another page', () => signIn(authenticator, { origin: 'https://evil.example' })],
    ['the origin of another port', () => signIn(authenticator, { origin: 'http://localhost:1' })],
    ['the host name of another page', () => signIn(authenticator, { rpId: 'evil.example' })],
    ['a user who was not verified', () => signIn(authenticator, { userVerified: false })],
    ['the user handle of no account', () => signIn(authenticator, { userHandle: null })],
    ['the user handle of another account', () => signIn(authenticator, { userHandle: Buffer.from('a-0000000000').toString('base64url') })],
    ['a counter that does not increase', () => signIn(authenticator, { counter: 1 })],
    ['a counter that goes back to 0', () => signIn(authenticator, { counter: 0 })],
    ['an unknown passkey', () => signIn(new Authenticator(), { userHandle: Buffer.from('a-0000000000').toString('base64url') })],
    [
      'the signature of another key',
      async () => {
        const forged = new Authenticator({ credential: authenticator.credential, counter: 5 });
        const handle = Buffer.from((await browser.ask('GET', 'session')).body.account.id).toString('base64url');
        return signIn(forged, { userHandle: handle });
      },
    ],
    [
      'a challenge for adding a passkey',
      async () => {
        const { challenge } = await optionsOf(browser, 'passkeys/options', { current: passphrase });
        return signIn(authenticator, { challenge });
      },
    ],
  ];
  it('is refused with the same answer, whatever is wrong, and sets no session', async () => {
    await withPasskey();
    const first = await refusals[0]![1]();
    assert.deepEqual(failed(first), [401, 'wrong_credentials', null]);
    for (const [what, attempt] of refusals) {
      const refused = await attempt();
      assert.deepEqual({ ...refused.body, request_id: '' }, { ...first.body, request_id: '' }, what);
      assert.equal(refused.status, 401, what);
      assert.deepEqual(refused.headers.getSetCookie(), [], what);
      authenticator.counter = 1;
    }
    assert.equal((await signIn(authenticator)).status, 200, 'the passkey still works');
  });

  it('is refused when its response is sent again, also if the first one was refused', async () => {
    await withPasskey();
    for (const change of [{}, { origin: 'https://evil.example' }]) {
      const one = newBrowser();
      const passkey = authenticator.get(await optionsOf(one, 'session/options'), origin, change);
      const first = await one.ask('POST', 'session', { passkey });
      assert.equal(first.status, change.origin === undefined ? 200 : 401);
      assert.deepEqual(failed(await newBrowser().ask('POST', 'session', { passkey })), [401, 'wrong_credentials', null]);
      const { challenge } = JSON.parse(Buffer.from((passkey as any).response.clientDataJSON, 'base64url').toString());
      assert.equal((await signIn(authenticator, { challenge })).status, 401, 'nor does its challenge work in another');
    }
  });

  it('succeeds once of several that an authenticator and its copy send with the same counter', async () => {
    await withPasskey();
    const seen = lines.length;
    const attempts = await Promise.all(Array.from({ length: 5 }, () => signIn(authenticator, { counter: 7 })));
    assert.deepEqual(attempts.map(({ status }) => status).toSorted(), [200, 401, 401, 401, 401]);
    assert.match(lines.slice(seen).join(''), /"account":"a-\w+".*"msg":"a passkey may have been copied"/);
  });

  it('succeeds any number of times with an authenticator that does not count', async () => {
    authenticator.counter = 0;
    await withPasskey();
    for (let i = 0; i < 3; i++) assert.equal((await signIn(authenticator)).status, 200);
  });

  it('is refused if the passkey is removed while the session is being stored', async () => {
    const { account, id } = await withPasskey();
    const { passkeys, sessions } = system.store;
    const before = (await sessions.list(account)).length;
    const use = passkeys.use.bind(passkeys);
    passkeys.use = async (...args) => {
      const outcome = await use(...args);
      await passkeys.remove(account, id);
      return outcome;
    };
    try {
      assert.deepEqual(failed(await signIn(authenticator)), [401, 'wrong_credentials', null]);
    } finally {
      passkeys.use = use;
    }
    assert.equal((await sessions.list(account)).length, before);
  });

  it('can be begun 60 times in 10 minutes from one network, and those that succeed do not count', async () => {
    await withPasskey();
    const one = newBrowser();
    for (let i = 0; i < 59; i++) assert.equal(await system.store.attempts.count('passkey', one.headers['x-forwarded-for']!), null);
    for (let i = 0; i < 2; i++) assert.equal((await signIn(authenticator, {}, one)).status, 200);
    await optionsOf(one, 'session/options');
    const held = await one.ask('POST', 'session/options', {});
    assert.deepEqual(failed(held), [429, 'too_many_attempts', null]);
    assert.ok(Number(held.headers.get('retry-after')) > 300);
  });

  it('names the field of a response that no browser sends', async () => {
    const { response, ...rest } = authenticator.get({ challenge: 'AA', rpId: 'localhost' }, origin, { userHandle: 'AA' }) as any;
    const bad: [unknown, string][] = [
      ['x', 'passkey'],
      [{ ...rest }, 'passkey.response'],
      [{ ...rest, response: { ...response, signature: undefined } }, 'passkey.response.signature'],
      [{ ...rest, response: { ...response, signature: '+' } }, 'passkey.response.signature'],
      [{ ...rest, response: { ...response, userHandle: 1 } }, 'passkey.response.userHandle'],
      [{ ...rest, response, id: 'x'.repeat(2000) }, 'passkey.id'],
      [{ ...rest, response, type: 'password' }, 'passkey.type'],
    ];
    for (const [passkey, field] of bad) assert.deepEqual(failed(await browser.ask('POST', 'session', { passkey })), [400, 'bad_argument', field]);
    const both = await browser.ask('POST', 'session', { passkey: { ...rest, response }, email: 'a@b.c' });
    assert.deepEqual(failed(both), [400, 'bad_argument', 'email']);
    for (const clientDataJSON of ['AA', 'bnVsbA', 'e30'])
      assert.equal((await browser.ask('POST', 'session', { passkey: { ...rest, response: { ...response, clientDataJSON } } })).status, 401);
  });
});

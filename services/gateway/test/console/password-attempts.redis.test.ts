import assert from 'node:assert/strict';
import { useGateway } from '../gateway-under-test.js';
import { Browser, email, failed, passphrase, somewhere } from './browser.js';

describe('wrong passwords at the console', () => {
  const system = useGateway({ trustedProxies: 1, accountSettings: { oidc: null, signUp: 'open' } });
  let browser: Browser;
  beforeEach(() => {
    browser = newBrowser();
  });

  function newBrowser(): Browser {
    const one = new Browser(system);
    one.headers = { ...one.headers, ...somewhere() };
    return one;
  }

  it('locks an account after ten wrong passwords from any address, even for the right password, but no other account', async () => {
    const address = email();
    await browser.signUp(address);
    const tries = await Promise.all(Array.from({ length: 14 }, () => newBrowser().signIn(address, 'wrong password')));
    assert.deepEqual(tries.map(({ status }) => status).sort(), [...Array.from({ length: 10 }, () => 401), ...Array.from({ length: 4 }, () => 429)]);
    const held = await newBrowser().signIn(address);
    assert.deepEqual(failed(held), [429, 'too_many_attempts', null]);
    assert.ok(Number(held.headers.get('retry-after')) > 600);
    assert.equal(await browser.signedIn(), true, 'the existing session continues');
    const other = email();
    await newBrowser().signUp(other);
    assert.equal((await newBrowser().signIn(other)).status, 200);
  });

  it('lets a known browser sign in while others have locked the account', async () => {
    const address = email();
    await browser.signUp(address);
    await browser.ask('DELETE', 'session');
    for (let i = 0; i < 10; i++) assert.equal((await newBrowser().signIn(address, 'wrong password')).status, 401);
    assert.equal((await newBrowser().signIn(address)).status, 429);
    assert.equal((await browser.signIn(address)).status, 200);
    assert.equal((await newBrowser().signIn(address)).status, 429, 'the sign-in does not reset the count of other browsers');
  });

  it('lets a known browser sign in while its network is over the limit of wrong passwords', async () => {
    const address = email();
    const from = somewhere();
    await browser.signUp(address);
    await Promise.all(Array.from({ length: 50 }, () => system.store.attempts.count('address', from['x-forwarded-for'])));
    assert.equal((await newBrowser().signIn(address, passphrase, from)).status, 429);
    assert.equal((await browser.signIn(address, passphrase, from)).status, 200);
  });

  it('limits a known browser to ten wrong passwords, which lock no other browser out', async () => {
    const address = email();
    await browser.signUp(address);
    for (let i = 0; i < 10; i++) assert.equal((await browser.signIn(address, 'wrong password')).status, 401);
    assert.deepEqual(failed(await browser.signIn(address)), [429, 'too_many_attempts', null]);
    assert.equal((await newBrowser().signIn(address)).status, 200);
  });

  it('treats a browser that one account knows as unknown at every other account', async () => {
    const victim = email();
    await newBrowser().signUp(victim);
    await browser.signUp(email());
    for (let i = 0; i < 10; i++) assert.equal((await browser.signIn(victim, 'wrong password')).status, 401);
    assert.equal((await newBrowser().signIn(victim)).status, 429);
  });

  it('remembers up to four accounts per browser, in an HttpOnly cookie', async () => {
    const first = email();
    await browser.signUp(first);
    const { headers } = await browser.signUp(email());
    const cookie = headers.getSetCookie().find((line) => line.startsWith('perch_device='));
    assert.match(cookie!, /^perch_device=pd_[\w-]{43}\.pd_[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/);
    for (let i = 0; i < 10; i++) await system.store.attempts.count('account', first);
    assert.equal((await browser.signIn(first)).status, 200);
    for (let i = 0; i < 4; i++) await browser.signUp(email());
    assert.equal(browser.cookies.get('perch_device')!.split('.').length, 4);
    assert.equal((await browser.signIn(first)).status, 429);
  });

  it('lets a session change the password while others have locked the account, and limits wrong passwords per session', async () => {
    const address = email();
    await browser.signUp(address);
    const other = newBrowser();
    await other.signIn(address);
    for (let i = 0; i < 10; i++) await system.store.attempts.count('account', address);
    const change = (by: Browser, current: string) => by.ask('PUT', 'password', { current, password: 'another good one' });
    for (let i = 0; i < 10; i++) assert.equal((await change(other, 'wrong password')).status, 401);
    assert.deepEqual(failed(await change(other, passphrase)), [429, 'too_many_attempts', null]);
    assert.equal((await change(browser, passphrase)).status, 200);
  });

  it('revokes all other known browsers when the password is changed', async () => {
    const address = email();
    await browser.signUp(address);
    const other = newBrowser();
    await other.signIn(address);
    await browser.ask('PUT', 'password', { current: passphrase, password: 'another good one' });
    for (let i = 0; i < 10; i++) await system.store.attempts.count('account', address);
    assert.equal((await other.signIn(address, 'another good one')).status, 429);
    assert.equal((await browser.signIn(address, 'another good one')).status, 200);
  });

  it('resets the count of wrong passwords after a right one', async () => {
    const address = email();
    await newBrowser().signUp(address);
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 9; i++) assert.equal((await browser.signIn(address, 'wrong password')).status, 401);
      assert.equal((await browser.signIn(address)).status, 200);
    }
  });

  it('limits wrong passwords per address across accounts, using the address from the trusted proxy', async () => {
    const address = email();
    await newBrowser().signUp(address);
    const [held, free] = [somewhere()['x-forwarded-for'], somewhere()['x-forwarded-for']];
    const counts = await Promise.all(Array.from({ length: 50 }, () => system.store.attempts.count('address', held)));
    assert.ok(counts.every((wait) => wait === null));
    assert.equal((await browser.signIn(address, passphrase, { 'x-forwarded-for': `${free}, ${held}` })).status, 429);
    assert.equal((await browser.signIn(address, passphrase, { 'x-forwarded-for': `${held}, ${free}` })).status, 200);
  });

  it('charges the network nothing for attempts at a locked account', async () => {
    const address = email();
    await browser.signUp(address);
    for (let i = 0; i < 10; i++) await system.store.attempts.count('account', address);
    const from = somewhere();
    for (let i = 0; i < 60; i++) assert.equal((await newBrowser().signIn(address, passphrase, from)).status, 429);
    assert.equal(await system.store.attempts.count('address', from['x-forwarded-for']), null);
  });
});

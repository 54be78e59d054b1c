import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { typeIn } from './fixture/typing.js';

onBrowserSystem('the sessions of an account on the web page', ({ system, visit }) => {
  it('sessions are listed by browser and system, one is ended from another browser, and then all others', async () => {
    const [user, elsewhere] = [await visit(), await visit()];
    const { page } = user;
    const { email, password } = await user.signUp();
    const { account } = await user.call('GET', '/console/session');
    await system().store.sessions.begin(account.id, 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0');
    await system().store.sessions.begin(account.id);
    await elsewhere.page.goto('/robots');
    await signIn(elsewhere.page, email, password);
    await elsewhere.page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();

    await page.goto('/account');
    const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await sessions.filter({ hasText: 'Firefox on Linux' }).waitFor();
    await sessions.filter({ hasText: 'Unknown browser' }).waitFor();
    assert.equal(await sessions.count(), 4);
    assert.match(await sessions.first().innerText(), /on Linux\s+This browser/);
    assert.equal(await sessions.first().getByRole('button').count(), 0);
    assert.deepEqual(await user.axe(), []);
    await page.getByRole('button', { name: 'End the session of Firefox on Linux' }).click();
    await sessions.filter({ hasText: 'Firefox on Linux' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'End sessions' }).click();
    await page.getByRole('button', { name: 'End all other sessions' }).waitFor({ state: 'detached' });
    assert.equal(await sessions.count(), 1);
    await elsewhere.page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    assert.equal((await user.call('GET', '/console/session')).signed_in, true);
  });
});

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await typeIn(page.getByLabel('E-mail'), email);
  await typeIn(page.getByLabel('Password', { exact: true }), password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { typeIn } from './fixture/typing.js';

onBrowserSystem('an account on the web page', ({ system, visit }) => {
  it('signing out ends the session, and signing in again returns to the requested page', async () => {
    const user = await visit();
    const { page } = user;
    const { email, password } = await user.signUp();
    await page.goto('/account');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    assert.equal((await user.call('GET', '/console/session')).signed_in, false);
    assert.ok(!(await page.content()).includes(email), 'the page still names who left');
    await page.goto('/keys');
    await signIn(page, email, password);
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  });

  it('changing the password rejects a wrong current one at its field, accepts the new one, and ends the other sessions', async () => {
    const [user, elsewhere] = [await visit(), await visit()];
    const { page } = user;
    const { email, password } = await user.signUp();
    await elsewhere.page.goto('/robots');
    await signIn(elsewhere.page, email, password);
    await elsewhere.page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();

    await page.goto('/account');
    const current = page.getByLabel('Current password');
    await typeIn(current, 'not the right one');
    await typeIn(page.getByLabel('New password'), 'some other words in a row');
    await page.getByRole('button', { name: 'Change password' }).click();
    await current.and(page.locator('[aria-invalid=true]')).waitFor();
    assert.equal(await page.getByLabel('New password').inputValue(), 'some other words in a row');
    await typeIn(current, password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed.').waitFor();

    const again = elsewhere.page.getByRole('dialog', { name: 'Sign in again' });
    await typeIn(again.getByLabel('Password', { exact: true }), password);
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.getByText('password is wrong').waitFor();
    await typeIn(again.getByLabel('Password', { exact: true }), 'some other words in a row');
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.waitFor({ state: 'detached' });
    assert.equal((await user.call('GET', '/console/session')).signed_in, true);
  });

  it('a session that expires under a half-filled form is renewed in a dialog, and the form continues with what was typed', async () => {
    const user = await visit();
    const { page } = user;
    const { password } = await user.signUp();
    const { account } = await user.call('GET', '/console/session');
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await typeIn(page.getByLabel('Name'), 'build server');
    await system().store.sessions.endAll(account.id);

    const again = page.getByRole('dialog', { name: 'Sign in again' });
    assert.equal(await again.getByLabel('E-mail').inputValue(), account.email);
    await again.getByText('Ask its operator for a sign-in link').waitFor();
    await typeIn(again.getByLabel('Password', { exact: true }), password);
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'build server');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Your key: build server' }).waitFor();
  });

  it('an address typed to sign in is kept when switching to sign up and back', async () => {
    const { page } = await visit();
    await page.goto('/pair?code=BCDFGHJK');
    const email = `${randomUUID()}@example.com`;
    await typeIn(page.getByLabel('E-mail'), email);
    await page.getByText('Ask its operator for a sign-in link').waitFor();
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByRole('button', { name: 'Create account' }).waitFor();
    assert.equal(await page.getByLabel('E-mail').inputValue(), email);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(await page.getByLabel('E-mail').inputValue(), email);
    await page.getByRole('link', { name: 'Create an account' }).click();
    // Until the other page is shown, the label finds the password of the sign-in form.
    await page.getByRole('button', { name: 'Create account' }).waitFor();
    await typeIn(page.getByLabel('Password', { exact: true }), 'a few words in a row');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByLabel('Code on the screen of the robot').waitFor();
    assert.equal(await page.getByLabel('Code on the screen of the robot').inputValue(), 'BCDF-GHJK');
  });

  it('the theme follows the choice, survives a reload, and follows the system again when reset', async () => {
    const user = await visit({ theme: 'light' });
    const { page } = user;
    await user.signUp();
    await page.goto('/account');
    const paper = async (): Promise<string> => (await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')) as string;
    const light = await paper();
    await page.getByText('Dark', { exact: true }).click();
    const dark = await paper();
    assert.notEqual(dark, light);
    await page.reload();
    await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor({ state: 'attached' });
    assert.equal(await paper(), dark);
    await page.getByText('System', { exact: true }).click();
    assert.equal(await paper(), light);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.equal(await paper(), dark);
  });
});

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await typeIn(page.getByLabel('E-mail'), email);
  await typeIn(page.getByLabel('Password', { exact: true }), password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

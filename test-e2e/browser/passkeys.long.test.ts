import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { addAuthenticator } from './fixture/authenticator.js';
import { typeIn } from './fixture/typing.js';
import type { BrowserUser } from './fixture/browser-user.js';

onBrowserSystem('passkeys on the web page', ({ system, visit }) => {
  /** Browsers offer no passkeys at an IP address. */
  const atLocalhost = () => `http://localhost:${new URL(system().gateway()).port}`;
  const passkeys = (page: Page) => page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem');
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

  async function addPasskey(page: Page, name: string, password: string | null): Promise<void> {
    await page.goto('/account');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    await typeIn(dialog.getByLabel('Name'), name);
    if (password !== null) await typeIn(dialog.getByLabel('Current password'), password);
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await passkeys(page).filter({ hasText: name }).waitFor();
    await dialog.waitFor({ state: 'detached' });
  }

  async function signOut(page: Page): Promise<void> {
    await page.goto('/account');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  }

  const signIn = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' }).click();

  it('a passkey is added after the password, signs in without e-mail address, is renamed, and no longer signs in once it is removed', async () => {
    const user = await visit({}, atLocalhost());
    const { page } = user;
    await addAuthenticator(page);
    const { password } = await user.signUp();
    await page.goto('/account');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    await typeIn(dialog.getByLabel('Name'), 'phone');
    await typeIn(dialog.getByLabel('Current password'), 'not the right one');
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await dialog.getByLabel('Current password').and(page.locator('[aria-invalid=true]')).waitFor();
    assert.deepEqual(await user.axe(), []);
    await typeIn(dialog.getByLabel('Current password'), password);
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await passkeys(page).filter({ hasText: 'phone' }).filter({ hasText: 'never used' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await passesAxe(user);

    await signOut(page);
    await passesAxe(user);
    await signIn(page);
    await heading(page, 'Account');
    await passkeys(page).filter({ hasText: 'last used' }).waitFor();

    await page.getByRole('button', { name: 'Rename phone' }).click();
    await typeIn(page.getByRole('dialog').getByLabel('Name'), 'security key');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Remove security key' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove security key?' });
    await removal.getByText('all other sessions end').waitFor();
    assert.deepEqual(await user.axe(), []);
    await typeIn(removal.getByLabel('Current password'), password);
    await removal.getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByRole('list', { name: 'Passkeys' }).waitFor({ state: 'detached' });

    await signOut(page);
    await signIn(page);
    await page.getByText('This passkey did not sign you in.').waitFor();
    assert.deepEqual(await user.axe(), []);
    assert.equal((await user.call('GET', '/console/session')).signed_in, false);
  });

  it('a device is not added twice, and a user whom the device does not verify is told to try again', async () => {
    const user = await visit({}, atLocalhost());
    const { page } = user;
    const authenticator = await addAuthenticator(page);
    const { password } = await user.signUp();
    await addPasskey(page, 'phone', password);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    await typeIn(dialog.getByLabel('Current password'), password);
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await dialog.getByText('already has a passkey').waitFor();
    assert.equal((await user.call('GET', '/console/passkeys')).passkeys.length, 1);

    await signOut(page);
    await authenticator.verifyUser(false);
    await signIn(page);
    await page.getByText('It was cancelled, or it took too long.').waitFor();
    await authenticator.verifyUser(true);
    await signIn(page);
    await heading(page, 'Account');
  });

  it('an account without a password renews its session with a passkey, and the form keeps what was typed', async () => {
    const user = await visit({}, atLocalhost());
    const { page } = user;
    await addAuthenticator(page);
    const { store } = system();
    const { account } = await store.accounts.create({ email: `${randomUUID()}@example.com` });
    await page.goto(`/#sign-in=${await store.signInTokens.make(account, 60_000)}`);
    await heading(page, 'Robots');
    await addPasskey(page, 'laptop', null);
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await typeIn(page.getByLabel('Name'), 'build server');
    await store.sessions.endAll(account);

    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    assert.deepEqual(await user.axe(), []);
    await again.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await again.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'build server');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Your key: build server' }).waitFor();
  });

  it('at an IP address the account page says why there are no passkeys, and the sign-in page offers none', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    await page.goto('/account');
    await page.getByText('Passkeys belong to a host name, and this page was opened at an IP address.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Add a passkey' }).count(), 0);
    await signOut(page);
    assert.equal(await page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0);
  });

  async function passesAxe(user: BrowserUser): Promise<void> {
    const { page } = user;
    const before = page.viewportSize()!;
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [320, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      // Else the bar at the bottom of a phone may cover a part of a button.
      await page.evaluate('scrollTo(0, 0)');
      assert.deepEqual(await user.axe(), [], `${width} pixels, ${colorScheme}`);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${width} pixels wide`);
    }
    await page.setViewportSize(before);
  }
});

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { redisMentions, until } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { typeIn } from './fixture/typing.js';

onBrowserSystem('the data of an account on the web page', ({ system, visit }) => {
  it('downloads everything that is stored about the account as a file, and says so if it was downloaded too often', async () => {
    const user = await visit();
    const { page } = user;
    const { email } = await user.signUp();
    await user.call('POST', '/console/keys', { name: 'laptop', robots: '*' });
    await user.call('POST', '/console/robots', { virtual: true, name: 'Desk' });
    await page.goto('/account');
    const button = page.getByRole('button', { name: 'Download data' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    assert.match(download.suggestedFilename(), /^perch-account-\d{4}-\d\d-\d\d\.json$/);
    const document = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.deepEqual(
      [document.format, document.account.email, document.keys[0].name, document.robots[0].name],
      ['perch-account-export', email, 'laptop', 'Desk'],
    );
    for (let i = 0; i < 9; i++) await user.call('GET', '/console/account/export');
    await button.click();
    await page.getByText('Too many downloads.').waitFor();
    assert.deepEqual(await user.axe(), []);
  });

  for (const way of [
    { width: 1280, height: 800, theme: 'light' },
    { width: 360, height: 740, theme: 'dark' },
  ] as const)
    it(`deletes the account once its address and password are typed: ${way.width} pixels wide, ${way.theme}`, async () => {
      const user = await visit(way);
      const { page } = user;
      const { email, password } = await user.signUp();
      const { account } = await user.call('GET', '/console/session');
      const { robot: made, token } = await user.call('POST', '/console/robots', { virtual: true, name: 'Desk' });
      const { api_key: apiKey } = await user.call('POST', '/console/keys', { name: 'laptop', robots: '*' });
      const robot = new VirtualRobot({ url: system().link(), token });
      system().keep(robot);
      await robot.start();
      const [tab, elsewhere] = [await user.tab(), await visit()];
      await tab.goto('/robots');
      await tab.getByRole('heading', { name: 'Desk' }).waitFor();
      await elsewhere.page.goto('/robots');
      await signIn(elsewhere.page, email, password);
      await elsewhere.page.getByRole('heading', { name: 'Desk' }).waitFor();

      await page.goto('/account');
      const dialog = await asked(page);
      for (const text of ['must be paired again', 'Keys stop at once', 'Webhooks, events', 'All sessions end'])
        await dialog.getByText(text).waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await asked(page);
      const [address, secret] = [dialog.getByLabel(`Type ${email} to confirm`), dialog.getByLabel('Password', { exact: true })];
      const submit = dialog.getByRole('button', { name: 'Delete account' });
      await typeIn(address, 'someone@example.com');
      await typeIn(secret, 'not the right one');
      await submit.click();
      await dialog.getByText('This is not the e-mail address of this account.').waitFor();
      await typeIn(address, email);
      await submit.click();
      await dialog.getByText('This is not your password.').waitFor();
      assert.deepEqual(await user.axe(), []);
      assert.equal((await user.call('GET', '/console/session')).signed_in, true);
      await typeIn(secret, password);
      await submit.click();

      await page.getByRole('heading', { name: 'Account deleted' }).waitFor();
      assert.ok(!(await page.content()).includes(email), 'the page still names the account');
      await robot.until(({ online }) => !online, { what: 'the robot to be closed' });
      assert.deepEqual([robot.lastClosed?.code, robot.lastClosed?.final], [4003, true]);
      for (const other of [tab, elsewhere.page]) await other.getByRole('dialog', { name: 'Sign in again' }).waitFor();
      assert.equal((await fetch(`${system().gateway()}/v1/robots`, { headers: { authorization: `Bearer ${apiKey}` } })).status, 401);
      const named = () => redisMentions(system().store.connections.commands, [account.id, made.id, email]);
      await until(async () => (await named()).length === 0, { what: 'no key in Redis to name the account' });
      await page.getByRole('link', { name: 'Sign in' }).click();
      await signIn(page, email, password);
      await page.getByText('password is wrong').waitFor();
    });

  it('deletes an account that has no password once its address is typed', async () => {
    const { page } = await visit();
    const { store } = system();
    const email = `linked-${Date.now()}@example.com`;
    const { account } = await store.accounts.create({ email });
    await page.goto(`/#sign-in=${await store.signInTokens.make(account, 60_000)}`);
    await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    await page.goto('/account');
    const dialog = await asked(page);
    assert.equal(await dialog.getByRole('textbox').count(), 1);
    await typeIn(dialog.getByRole('textbox'), email);
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('heading', { name: 'Account deleted' }).waitFor();
    assert.equal(await store.accounts.findByEmail(email), null);
  });

  async function asked(page: Page) {
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this account?' });
    await dialog.waitFor();
    return dialog;
  }
});

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await typeIn(page.getByLabel('E-mail'), email);
  await typeIn(page.getByLabel('Password', { exact: true }), password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

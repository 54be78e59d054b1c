import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { typeIn } from './fixture/typing.js';

onBrowserSystem('links to an account on the web page', ({ system, visit }) => {
  it('an account without a password renews its session with a sign-in link from another tab, and the form keeps what was typed', async () => {
    const { page, context } = await visit();
    const account = await linkedAccount();
    await page.goto(`/#sign-in=${await account.link()}`);
    await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await typeIn(page.getByLabel('Name'), 'laptop');
    await system().store.sessions.endAll(account.id);

    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByText('has no password').waitFor();
    assert.equal(await again.getByRole('textbox').count(), 0);
    const other = await context.newPage();
    await other.goto(`/#sign-in=${await account.link()}`);
    await other.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    await again.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Your key: laptop' }).waitFor();
  });

  it('a sign-in link of another account asks for confirmation: staying keeps the session, using it switches to the other account', async () => {
    const user = await visit();
    const { page } = user;
    const { email } = await user.signUp();
    const account = await linkedAccount();
    const link = await account.link();
    const question = page.getByRole('heading', { name: 'Use the sign-in link?' });
    await page.goto(`/#sign-in=${link}`);
    await question.waitFor();
    await page.getByText(`You are signed in as ${email}.`).waitFor();
    assert.doesNotMatch(page.url(), /sign-in=/);
    assert.deepEqual(await user.axe(), []);
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    assert.equal((await user.call('GET', '/console/session')).account.email, email);

    // Leave the page first: navigating to the same page with another fragment would load nothing.
    await page.goto('/llms.txt');
    await page.goto(`/#sign-in=${link}`);
    await question.waitFor();
    await page.getByRole('button', { name: 'Use the link' }).click();
    await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    assert.equal((await user.call('GET', '/console/session')).account.email, account.email);

    await page.goto('/llms.txt');
    await page.goto(`/#sign-in=${link}`);
    await page.getByRole('button', { name: 'Use the link' }).click();
    await page.getByText('This link has been used').waitFor();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
  });

  it('an invitation link creates one account where an invitation is required, and survives a reload of the form', async () => {
    const gateway = await system().cluster.add('gateway', { PERCH_SIGN_UP: 'invitation' });
    try {
      const { page } = await visit({}, gateway.address);
      await page.goto('/sign-in');
      await page.getByText('You need an invitation').waitFor();
      const invitation = await system().store.invitations.make('', 60_000);
      await page.goto(`/sign-up#invitation=${invitation}`);
      await page.getByText('You are invited').waitFor();
      assert.doesNotMatch(page.url(), /invitation=/);
      await page.reload();
      await signUp(page);
      await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();

      const second = await visit({}, gateway.address);
      await second.page.goto(`/sign-up#invitation=${invitation}`);
      await signUp(second.page);
      await second.page.getByText('this one has been used').waitFor();
    } finally {
      await gateway.stop(5000);
    }
  });

  async function linkedAccount(): Promise<{ id: string; email: string; link: () => Promise<string> }> {
    const { store } = system();
    const email = `${randomUUID()}@example.com`;
    const { account: id } = await store.accounts.create({ email });
    return { id, email, link: () => store.signInTokens.make(id, 60_000) };
  }
});

async function signUp(page: Page): Promise<void> {
  await typeIn(page.getByLabel('E-mail'), `${randomUUID()}@example.com`);
  await typeIn(page.getByLabel('Password', { exact: true }), 'a few words in a row');
  await page.getByRole('button', { name: 'Create account' }).click();
}

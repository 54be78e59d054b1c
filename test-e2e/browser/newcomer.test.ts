import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { left } from '../fixture/robots/question.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { tapUntil } from './fixture/robot-screen.js';
import { typeIn } from './fixture/typing.js';

onBrowserSystem('a new user on the web page', ({ system, visit }) => {
  it('a new user gets from nothing to a tap: an account, a robot in the page, a question from a second tab, the drawn button', async () => {
    const { page, context } = await visit();
    await page.goto('/');
    await page.getByRole('link', { name: 'Create an account' }).click();
    // Both forms have the same fields: wait for the right one.
    await page.getByRole('button', { name: 'Create account' }).waitFor();
    await typeIn(page.getByLabel('E-mail'), `${randomUUID()}@example.com`);
    await page.keyboard.press('Tab');
    await page.getByLabel('Password', { exact: true }).and(page.locator(':focus')).waitFor();
    await typeIn(page.getByLabel('Password', { exact: true }), 'a few words in a row');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Add a virtual robot' }).click();
    await page.waitForURL('**/virtual/*');
    await page.getByText('Online', { exact: true }).waitFor();

    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Control in a new tab' }).click();
    const control = await opened;
    await control.getByText('ask', { exact: true }).click();
    await control.getByRole('button', { name: 'Run ask' }).click();
    const answer = control.getByRole('region', { name: 'Response', exact: true });
    await tapUntil(page, left, () => answer.getByText('200 OK').isVisible());
    const text = await answer.getByRole('region', { name: 'response of ask' }).innerText();
    assert.match(text, /"outcome": "answered"/);
    assert.match(text, /"answer": "Tea"/);
  });

  it('a sign-in link works once, and says what to do when it was used before', async () => {
    const { account } = await system().store.accounts.create({ email: `${randomUUID()}@example.com` });
    const secret = await system().store.signInTokens.make(account, 60_000);
    const { page } = await visit();
    await page.goto(`/#sign-in=${secret}`);
    await page.getByRole('heading', { name: 'Robots' }).waitFor();
    assert.doesNotMatch(page.url(), /sign-in=/);

    const other = await visit();
    await other.page.goto(`/#sign-in=${secret}`);
    await other.page.getByText('This link has been used').waitFor();
    assert.equal(await other.page.getByLabel('E-mail').count(), 1);
  });

  it('sign-up and sign-in show errors at their field, lose nothing typed, and succeed once corrected', async () => {
    const user = await visit();
    const { page } = user;
    const { email, password: right } = await user.signUp();
    await user.call('DELETE', '/console/session');
    await page.goto('/sign-up');
    const address = page.getByLabel('E-mail');
    const password = page.getByLabel('Password', { exact: true });
    await typeIn(address, email);
    await typeIn(password, 'short');
    await page.getByRole('button', { name: 'Create account' }).click();
    assert.match(await problemOf(password), /at least 12/i);
    await typeIn(password, 'long enough by now');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('An account with this e-mail address exists').waitFor();
    assert.match(await problemOf(address), /An account with this e-mail address exists/);
    assert.equal(await address.inputValue(), email);
    assert.equal(await password.inputValue(), 'long enough by now');

    await page.goto('/sign-in');
    await typeIn(address, email);
    await typeIn(password, 'not the right one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('password is wrong').waitFor();
    assert.match(await problemOf(password), /password is wrong/);
    assert.equal(await address.inputValue(), email);
    await typeIn(password, right);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Robots' }).waitFor();

    async function problemOf(field: typeof password): Promise<string> {
      await page.locator('[aria-invalid=true]').first().waitFor();
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      const ids = (await field.getAttribute('aria-describedby')) ?? '';
      const texts = await Promise.all(ids.split(' ').map((id) => page.locator(`[id="${id}"]`).innerText()));
      return texts.join(' ');
    }
  });
});

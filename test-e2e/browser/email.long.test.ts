import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { tokenIn } from '@perch/testkit';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { startMailingGateway, type MailingGateway } from './fixture/mailing-gateway.js';
import { typeIn } from './fixture/typing.js';
import type { BrowserUser, BrowserUserOptions } from './fixture/browser-user.js';

const another = 'some other words in a row';
const phone: BrowserUserOptions = { width: 390, height: 800 };

onBrowserSystem('e-mails of the web page', ({ system, visit }) => {
  let mailing: MailingGateway;
  before(async () => {
    mailing = await startMailingGateway(system());
  });
  after(() => mailing?.stop());

  const user = (options: BrowserUserOptions = {}): Promise<BrowserUser> => visit(options, mailing.base);
  const robots = (page: Page) => page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
  const access = (page: Page) => page.getByRole('heading', { name: 'Who can get in', level: 1 }).waitFor();
  /** Navigating to the same page with another fragment would load nothing. */
  const open = async (page: Page, path: string): Promise<void> => {
    await page.goto('/llms.txt');
    await page.goto(path);
  };
  /** The last link that was sent. @param count e-mails to the address, that of the sign-up included */
  const link = async (email: string, name: 'reset' | 'verify', count: number): Promise<string> => {
    const token = tokenIn(await mailing.mails.mailTo(email, count), name);
    return `/${name === 'reset' ? 'reset-password' : 'verify-email'}#${name}=${token}`;
  };

  for (const [device, options] of [
    ['a desktop', {}],
    ['a phone', phone],
  ] as const)
    it(`a forgotten password is replaced through the link of an e-mail on ${device}, which ends the other sessions and works once`, async () => {
      const [owner, forgetful] = [await user(), await user(options)];
      const { email } = await owner.signUp();
      await owner.page.goto('/robots');
      await robots(owner.page);
      const { page } = forgetful;
      await page.goto('/sign-in');
      await typeIn(page.getByLabel('E-mail'), email);
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByRole('button', { name: 'Send e-mail' }).waitFor();
      assert.equal(await page.getByLabel('E-mail').inputValue(), email);
      await page.getByRole('button', { name: 'Send e-mail' }).click();
      await page.getByText(`If there is an account with the address ${email}`).waitFor();

      const path = await link(email, 'reset', 2);
      await page.goto(path);
      await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
      assert.doesNotMatch(page.url(), /reset=/);
      const password = page.getByLabel('New password');
      await typeIn(password, 'qwertyuiop12');
      await page.getByRole('button', { name: 'Set password and sign in' }).click();
      await password.and(page.locator('[aria-invalid=true]')).waitFor();
      assert.deepEqual(await forgetful.axe(), []);
      await typeIn(password, another);
      await page.getByRole('button', { name: 'Set password and sign in' }).click();
      await access(page);
      await page.getByText('everything that was made in the account before has ended').waitFor();
      await page.getByText('There are none.').first().waitFor();
      assert.deepEqual(await forgetful.axe(), []);
      assert.equal((await forgetful.call('GET', '/console/session')).account.email, email);

      await owner.page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
      const again = await user(options);
      await again.page.goto(path);
      // Before a password is typed.
      await again.page.getByText('This link has been used').waitFor();
      assert.equal(await again.page.getByLabel('New password').count(), 0);
      await again.page.getByRole('link', { name: 'Ask for a new e-mail' }).click();
      await again.page.getByRole('button', { name: 'Send e-mail' }).waitFor();
    });

  it('an unknown address gets the same page as a known one, and no e-mail', async () => {
    const { page } = await user();
    const email = `${randomUUID()}@example.org`;
    await page.goto('/forgot-password');
    await typeIn(page.getByLabel('E-mail'), email);
    await page.getByRole('button', { name: 'Send e-mail' }).click();
    await page.getByText(`If there is an account with the address ${email}`).waitFor();
    // Later e-mails are sent after it.
    const other = await user();
    await mailing.mails.mailTo((await other.signUp()).email);
    assert.deepEqual(mailing.mails.to(email), []);
  });

  it('a session that expires offers the link to a new password in another tab, and the page continues after it', async () => {
    const owner = await user();
    const { page, context } = owner;
    const { email } = await owner.signUp();
    const { account } = await owner.call('GET', '/console/session');
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await typeIn(page.getByLabel('Name'), 'laptop');
    await system().store.sessions.endAll(account.id);
    const opened = context.waitForEvent('page');
    await page.getByRole('dialog', { name: 'Sign in again' }).getByRole('link', { name: 'Forgot your password?' }).click();
    const tab = await opened;
    await typeIn(tab.getByLabel('E-mail'), email);
    await tab.getByRole('button', { name: 'Send e-mail' }).click();
    await tab.goto(await link(email, 'reset', 2));
    await typeIn(tab.getByLabel('New password'), another);
    await tab.getByRole('button', { name: 'Set password and sign in' }).click();
    await access(tab);
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'laptop');
  });

  it('a reset link of another account says who is signed in, and switches to its account', async () => {
    const [ann, bob] = [await user(), await user()];
    const { email } = await ann.signUp();
    const { email: other } = await bob.signUp();
    await bob.call('POST', '/console/password-resets', { email });
    await open(bob.page, await link(email, 'reset', 2));
    await bob.page.getByText(`You are signed in as ${other}.`).waitFor();
    assert.deepEqual(await bob.axe(), []);
    await typeIn(bob.page.getByLabel('New password'), another);
    await bob.page.getByRole('button', { name: 'Set password and sign in' }).click();
    await access(bob.page);
    assert.equal((await bob.call('GET', '/console/session')).account.email, email);
    await open(bob.page, '/reset-password');
    await bob.page.getByText('this page was opened without it').waitFor();
  });

  for (const [device, options] of [
    ['a desktop', {}],
    ['a phone', phone],
  ] as const)
    it(`the account page shows whether the address is verified and sends the e-mail again, and its link verifies the address on ${device}`, async () => {
      const owner = await user(options);
      const { page } = owner;
      const { email } = await owner.signUp();
      await page.goto('/account');
      await page.getByText('Not verified. If you have an e-mail with a link').waitFor();
      await page.getByRole('button', { name: 'Send e-mail' }).click();
      await page.getByText('An e-mail was sent.').waitFor();
      assert.deepEqual(await owner.axe(), []);
      const path = await link(email, 'verify', 2);

      const elsewhere = await user(options);
      await elsewhere.page.goto(path);
      await elsewhere.page.getByRole('button', { name: 'Verify address' }).waitFor();
      assert.doesNotMatch(elsewhere.page.url(), /verify=/);
      await elsewhere.page.getByRole('button', { name: 'Verify address' }).click();
      await elsewhere.page.getByText('This browser is not signed in to the account.').waitFor();
      await elsewhere.page.getByLabel('New password').waitFor();
      assert.deepEqual(await elsewhere.axe(), []);

      await open(page, path);
      await page.getByRole('button', { name: 'Verify address' }).click();
      await access(page);
      await page.getByText('Your e-mail address is verified. Everything that was made in the account before stays.').waitFor();
      assert.deepEqual(await owner.axe(), []);
      await open(page, path);
      await page.getByRole('button', { name: 'Verify address' }).click();
      await page.getByText('This link has been used').waitFor();
      assert.deepEqual(await owner.axe(), []);

      await page.goto('/account');
      await page.getByText('Verified', { exact: true }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Send e-mail' }).count(), 0);
      assert.deepEqual(await owner.axe(), []);
    });

  it('a verification link that its owner opens elsewhere makes the account theirs alone, and shows what ended and what is left', async () => {
    const [maker, owner] = [await user(), await user(phone)];
    const { email } = await maker.signUp();
    await maker.call('POST', '/console/keys', { name: 'of others', robots: '*' });
    await maker.page.goto('/keys');
    await owner.page.goto(await link(email, 'verify', 1));
    await owner.page.getByRole('button', { name: 'Verify address' }).click();
    await typeIn(owner.page.getByLabel('New password'), another);
    await owner.page.getByRole('button', { name: 'Set password and end everything else' }).click();
    await access(owner.page);
    await owner.page.getByText('Ended: 1 API key.').waitFor();
    await maker.page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
  });

  it('a later reset shows the keys that still work, to keep or to revoke each', async () => {
    const owner = await user(phone);
    const { email } = await owner.signUp();
    const { account } = await owner.call('GET', '/console/session');
    await system().store.accounts.verify(account.id);
    for (const name of ['laptop', 'of others']) await owner.call('POST', '/console/keys', { name, robots: '*' });
    const { page } = await user(phone);
    await owner.call('POST', '/console/password-resets', { email });
    await page.goto(await link(email, 'reset', 2));
    await typeIn(page.getByLabel('New password'), another);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await access(page);
    await page.getByRole('button', { name: 'Revoke of others' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('button', { name: 'Revoke of others' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Revoke laptop' }).waitFor();
  });

  it('a Perch that sends no e-mail says so on the pages where one would be expected, and names the command of the operator', async () => {
    const { page } = await visit();
    await page.goto('/sign-in');
    await page.getByText('Forgot your password? This service sends no e-mail.').waitFor();
    await page.getByText('perch account link', { exact: true }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Forgot your password?' }).count(), 0);
    await page.goto('/forgot-password');
    await page.getByText('This service sends no e-mail.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Send e-mail' }).count(), 0);
    const owner = await visit();
    await owner.signUp();
    await owner.page.goto('/account');
    await owner.page.getByText('This service sends no e-mail, so an address cannot be verified here.').waitFor();
  });
});

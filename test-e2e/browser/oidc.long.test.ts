import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ServiceProcess } from '@perch/launcher';
import type { Page } from 'playwright-core';
import { OidcProvider } from '../fixture/clients/oidc-provider.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import type { BrowserUser } from './fixture/browser-user.js';

onBrowserSystem('signing in with a provider on the web page', ({ system, visit }) => {
  let provider: OidcProvider;
  let gateway: ServiceProcess;

  before(async () => {
    provider = await OidcProvider.start();
    gateway = await system().cluster.add('gateway', provider.settings);
    await provider.serve(`${gateway.address}/console/oidc/callback`);
  });
  after(async () => {
    await gateway?.stop(5000);
    await provider?.stop();
  });

  it('signing in with a provider returns to the requested page, also after one cancelled attempt', async () => {
    const { page } = await user();
    await page.goto('/pair?code=BCDFGHJK');
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('The sign-in was cancelled at the other service').waitFor();
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await agree(page);
    await page.getByLabel('Code on the screen of the robot').waitFor();
    assert.equal(await page.getByLabel('Code on the screen of the robot').inputValue(), 'BCDF-GHJK');
    // The requested page is kept for one sign-in only.
    await page.goto('/');
    await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/robots');
  });

  it('signing in with a provider in another tab lets a page with an expired session continue with what was typed', async () => {
    const { page, context } = await user();
    await page.goto('/sign-in');
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    const email = await agree(page);
    await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('laptop');
    const account = await system().store.accounts.findByEmail(email);
    await system().store.sessions.endAll(account!.id);

    const again = page.getByRole('dialog', { name: 'Sign in again' });
    const opened = context.waitForEvent('page');
    await again.getByRole('link', { name: 'Continue with Acme in a new tab' }).click();
    assert.equal(await again.getByRole('textbox').count(), 0);
    await (await opened).getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    await again.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'laptop');
  });

  function user(): Promise<BrowserUser> {
    return visit({ elsewhere: provider.issuer }, gateway.address);
  }
});

async function agree(page: Page): Promise<string> {
  const email = `ada.${randomUUID()}@example.org`;
  await page.locator('input[name=login]').fill(email);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
  return email;
}

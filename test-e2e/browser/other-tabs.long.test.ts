/** An open page after the browser's session or the page's build has changed. */
import assert from 'node:assert/strict';
import type { Locator, Page, Request } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';

onBrowserSystem('an open page and other tabs', ({ visit }) => {
  it("an open page switches to the account that signs in in another tab, and shows neither account the other's data", async () => {
    const user = await visit();
    const { page } = user;
    const anna = await user.signUp();
    await user.call('POST', '/console/robots', { virtual: true, name: 'Of Anna alone' });
    await page.goto('/robots');
    await page.getByRole('heading', { name: 'Of Anna alone' }).waitFor();
    await page.goto('/account');
    await page.getByText(anna.email).first().waitFor();

    const ben = await user.signUp();
    await user.call('POST', '/console/robots', { virtual: true, name: 'Of Ben alone' });
    await page.getByText(ben.email).first().waitFor();
    assert.equal(await page.getByText(anna.email).count(), 0);
    await page.getByRole('link', { name: 'Robots', exact: true }).click();
    await page.getByRole('heading', { name: 'Of Ben alone' }).waitFor();
    assert.equal(await page.getByText('Of Anna alone').count(), 0);
  });

  it('a page whose lazily loaded part was replaced by a new build says so, and works after a reload', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    await page.goto('/robots');
    await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    await page.route('**/assets/keys-page-*.js', (route) => route.fulfill({ status: 404, contentType: 'application/json', body: '{}' }));
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('alert').getByText('may have been updated').waitFor();
    // The shell is loaded, so the way to other pages works.
    await page.getByRole('link', { name: 'Robots', exact: true }).click();
    await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.unroute('**/assets/keys-page-*.js');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    assert.ok(user.problems.splice(0).some((problem) => problem.includes('404 for ')));
  });

  it('a page that is left lets its stream go, and has it again when the browser shows the page again', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const isStream = (request: Request): boolean => request.url().includes('/console/live');
    const opened = page.waitForRequest(isStream);
    await page.goto('/keys');
    const first = await opened;
    // The event alone: Playwright, and a headless shell, keep no page that was left.
    const closed = page.waitForEvent('requestfailed', (request) => request === first);
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))");
    await closed;
    const reopened = page.waitForRequest(isStream);
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await reopened;
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  });

  it('eight windows side by side leave the connections to load another one; those used last are live, the others say that they are out of date', async () => {
    const user = await visit({ own: true });
    await user.signUp();
    const pages: Page[] = [];
    for (let count = 0; count < 8; count += 1) {
      const page = await user.tab();
      await page.goto('/robots');
      await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
      pages.push(page);
    }
    const notice = (page: Page): Locator => page.getByText('This window is out of date while you use others.');
    await notice(pages[0]!).waitFor();
    assert.equal(await notice(pages[7]!).count(), 0);
    await user.call('POST', '/console/robots', { virtual: true, name: 'Desk' });
    await pages[7]!.getByRole('heading', { name: 'Desk' }).waitFor();
    await pages[0]!.getByRole('button', { name: 'Update here' }).click();
    await pages[0]!.getByRole('heading', { name: 'Desk' }).waitFor();
    await notice(pages[4]!).waitFor();
    await notice(pages[0]!).waitFor({ state: 'detached' });
  });
});

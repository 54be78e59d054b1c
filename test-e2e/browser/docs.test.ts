import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import type { BrowserUser } from './fixture/browser-user.js';

onBrowserSystem('the reference at /docs', ({ visit }) => {
  it('the API page shows every action without signing in, and axe finds nothing serious in either theme', async () => {
    const user = await opened();
    await user.page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await lastSection(user.page).waitFor();
    const summaries = await user.page.locator('.opblock-summary-path').allInnerTexts();
    for (const action of ['show', 'say', 'face', 'move', 'leds', 'sound', 'ask', 'menu', 'clickmap', 'command', 'state', 'events', 'stop', 'scene']) {
      assert.ok(
        summaries.some((text) => text.replaceAll('\u200b', '').endsWith(`/${action}`)),
        `${action} in ${summaries.join(' ')}`,
      );
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await user.page.emulateMedia({ colorScheme });
      assert.deepEqual(await user.axe(), [], colorScheme);
    }
  });

  it('the API page can be read by keyboard alone and fits a phone', async () => {
    const { page } = await opened();
    await page.setViewportSize({ width: 320, height: 640 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
    await page.locator('#operations-waits-ask .opblock-summary-control').focus();
    await page.keyboard.press('Enter');
    await page.locator('#operations-waits-ask .opblock-body').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.locator('#operations-waits-ask .opblock-body').waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
  });

  it('the API page shows its introduction first, and never that there are no operations', async () => {
    const user = await visit();
    const { page } = user;
    // At each frame: whether the introduction shows, whether the operations do, and whether the viewer says that there are none.
    await page.addInitScript(`(() => {
      const shows = (selector, text = '') =>
        [...document.querySelectorAll(selector)].some((found) => found.textContent.includes(text) && found.checkVisibility({ visibilityProperty: true }));
      globalThis.frames = [];
      const look = () => {
        globalThis.frames.push([shows('.info .title'), shows('.opblock'), shows('#reference h3', 'No operations')].map(Number).join(''));
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    })()`);
    await page.goto('/docs');
    await page.locator('.opblock').first().waitFor();
    assert.deepEqual([...new Set((await page.evaluate('frames')) as string[])], ['000', '100', '110']);
  });

  it('the API page opens its sections as they are scrolled to, and all of them for the search of the browser', async () => {
    const { page } = await visit();
    await page.goto('/docs');
    await page.locator('.opblock').first().waitFor();
    assert.equal(await lastSection(page).count(), 0);
    await page.locator('#operations-tag-discovery').scrollIntoViewIfNeeded();
    await lastSection(page).waitFor();
    await page.reload();
    await page.locator('.opblock').first().waitFor();
    assert.equal(await lastSection(page).count(), 0);
    await page.keyboard.press('Control+f');
    await lastSection(page).waitFor();
  });

  it('the API page says so when the document cannot be loaded', async () => {
    const { page } = await visit();
    await page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.goto('/docs');
    await page.getByText('The reference could not be loaded.').waitFor();
  });

  const lastSection = (page: Page): Locator => page.locator('.is-open #operations-tag-discovery');

  async function opened(): Promise<BrowserUser> {
    const user = await visit();
    const { page } = user;
    const answer = await page.goto('/docs');
    const policy = answer!.headers()['content-security-policy'] ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self'(?:;|$)/);
    await page.locator('#operations-tag-waits').scrollIntoViewIfNeeded();
    await page.locator('#operations-waits-ask .opblock-summary-control').click();
    await page.locator('#operations-waits-ask .responses-table').first().waitFor();
    await page.evaluate('document.fonts.ready');
    return user;
  }
});

import assert from 'node:assert/strict';
import { onBrowserSystem } from './fixture/browser-suite.js';
import type { Visitor } from './fixture/visitor.js';

onBrowserSystem('the reference at /docs', ({ visit }) => {
  it('the API page shows every action without signing in, and axe finds nothing serious in either theme', async () => {
    const visitor = await opened();
    const summaries = await visitor.page.locator('.opblock-summary-path').allInnerTexts();
    for (const action of ['show', 'say', 'face', 'move', 'leds', 'sound', 'ask', 'menu', 'clickmap', 'command', 'state', 'events', 'stop', 'scene']) {
      assert.ok(
        summaries.some((text) => text.replaceAll('\u200b', '').endsWith(`/${action}`)),
        `${action} in ${summaries.join(' ')}`,
      );
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await visitor.page.emulateMedia({ colorScheme });
      assert.deepEqual(await visitor.axe(), [], colorScheme);
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

  async function opened(): Promise<Visitor> {
    const visitor = await visit();
    const { page } = visitor;
    const answer = await page.goto('/docs');
    const policy = answer!.headers()['content-security-policy'] ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self'(?:;|$)/);
    await page.locator('#operations-waits-ask .opblock-summary-control').click();
    await page.locator('#operations-waits-ask .responses-table').first().waitFor();
    await page.evaluate('document.fonts.ready');
    return visitor;
  }
});

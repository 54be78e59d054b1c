import assert from 'node:assert/strict';
import { onBrowserStage } from './fixture/on-browser-stage.js';

onBrowserStage('the reference at /docs', ({ visit }) => {
  for (const theme of ['light', 'dark'] as const) {
    it(`shows every action to someone who has no account, and axe finds nothing serious (${theme})`, async () => {
      const { page, ...visitor } = await opened(theme);
      assert.deepEqual(await visitor.axe(), []);
      const summaries = await page.locator('.opblock-summary-path').allInnerTexts();
      for (const action of [
        'show',
        'say',
        'face',
        'move',
        'leds',
        'sound',
        'ask',
        'menu',
        'clickmap',
        'command',
        'state',
        'events',
        'stop',
        'scene',
      ]) {
        assert.ok(
          summaries.some((text) => text.replaceAll('\u200b', '').endsWith(`/${action}`)),
          `${action} in ${summaries.join(' ')}`,
        );
      }
    });
  }

  it('is read by keyboard alone, and fits a phone', async () => {
    const { page } = await opened('light');
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
    await page.locator('#operations-waits-ask .opblock-summary-control').focus();
    await page.keyboard.press('Enter');
    await page.locator('#operations-waits-ask .opblock-body').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.locator('#operations-waits-ask .opblock-body').waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
  });

  async function opened(theme: 'light' | 'dark') {
    const visitor = await visit({ theme });
    const { page } = visitor;
    const answer = await page.goto('/docs');
    const policy = answer!.headers()['content-security-policy'] ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self'(?:;|$)/);
    await page.locator('#operations-waits-ask').waitFor();
    await page.locator('#operations-waits-ask .opblock-summary-control').click();
    await page.locator('#operations-waits-ask .responses-table').first().waitFor();
    await page.evaluate('document.fonts.ready');
    return { page, axe: () => visitor.axe() };
  }
});
